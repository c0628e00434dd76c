/* Fault injection for tests: GPU_IPC_SIM_DELAY names exported symbols and how long each waits before it works. */
#include "sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_DELAYS 32

static struct {
  char symbol[64];
  long milliseconds;
} delays[MAX_DELAYS];
static int delay_count;
bool sim_delays_set;

/* Read once, when the library is loaded: tests set the variable for a whole process. */
__attribute__((constructor)) static void read_delays(void) {
  const char *text = getenv("GPU_IPC_SIM_DELAY");
  while (text && *text && delay_count < MAX_DELAYS) {
    const char *equals = strchr(text, '=');
    const char *comma = strchr(text, ',');
    if (equals && (!comma || equals < comma) && (size_t)(equals - text) < sizeof delays[0].symbol) {
      long milliseconds = strtol(equals + 1, NULL, 10);
      if (milliseconds > 0) {
        memcpy(delays[delay_count].symbol, text, (size_t)(equals - text));
        delays[delay_count].milliseconds = milliseconds;
        delay_count += 1;
      }
    }
    text = comma ? comma + 1 : NULL;
  }
  sim_delays_set = delay_count > 0;
}

void sim_delay(const char *symbol) {
  for (int i = 0; i < delay_count; i++) {
    if (strcmp(delays[i].symbol, symbol) != 0) continue;
    struct timespec left = {delays[i].milliseconds / 1000, (delays[i].milliseconds % 1000) * 1000000L};
    while (nanosleep(&left, &left) == -1 && errno == EINTR) {
    }
    return;
  }
}
