/* Control tables of the processes that this one imports from. */
#include "exporters.h"

#include <stdlib.h>
#include <unistd.h>

#include "machine.h"

static sim_exporter *exporters;

static sim_control *client_of_pid(uint32_t rm_client, int32_t pid) {
  int fd = sim_machine_open_control(pid);
  if (fd < 0) return NULL;
  sim_control *control = sim_control_map(fd);
  close(fd);
  if (!control || control->rm_client == rm_client) return control;
  sim_control_unmap(control);
  return NULL;
}

sim_exporter *sim_exporter_find(uint32_t rm_client, int32_t probable_pid) {
  /* Always by what lives now: a cached table may belong to a dead process whose numbers are used again. */
  int32_t pid = probable_pid;
  sim_control *control = client_of_pid(rm_client, pid);
  if (!control) control = sim_machine_find_client(rm_client, &pid);
  if (!control) return NULL;
  if (control == sim_own || control->token == sim_own->token) {
    sim_control_unmap(control);
    return NULL;
  }
  for (sim_exporter *known = exporters; known; known = known->next) {
    if (known->token != control->token) continue;
    sim_control_unmap(control);
    known->references += 1;
    return known;
  }
  sim_exporter *exporter = calloc(1, sizeof *exporter);
  if (!exporter) {
    sim_control_unmap(control);
    return NULL;
  }
  exporter->control = control;
  exporter->token = control->token;
  exporter->pid = pid;
  exporter->references = 1;
  exporter->next = exporters;
  exporters = exporter;
  return exporter;
}

void sim_exporter_drop(sim_exporter *exporter) {
  if (!exporter || --exporter->references > 0) return;
  for (sim_exporter **link = &exporters; *link; link = &(*link)->next) {
    if (*link != exporter) continue;
    *link = exporter->next;
    break;
  }
  sim_control_unmap(exporter->control);
  free(exporter);
}
