/* The side of the probe that starts peers, gives orders and prints what came of them. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *library;
static int answer_limit_ms = ANSWER_LIMIT_MS;
static const char *group_name;

peer *peer_start(const char *environment) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) exit(71);
  peer *one = calloc(1, sizeof *one);
  if (!one) exit(71);
  one->pid = fork();
  if (one->pid == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    if (environment) putenv((char *)(uintptr_t)environment);
    execl("/proc/self/exe", "driver-probe", "--peer", library, (char *)NULL);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  one->to = to[1];
  one->from = from[0];
  return one;
}

peer *peer_with_context(void) {
  peer *one = peer_start(NULL);
  ask(one, "cuInit 0; cuDevicePrimaryCtxRetain &ctx 0; cuCtxSetCurrent ctx");
  return one;
}

static void wait_gone(peer *one) {
  int status = 0;
  waitpid(one->pid, &status, 0);
  if (!one->dead) {
    if (WIFSIGNALED(status)) snprintf(one->answer, sizeof one->answer, "SIGNAL %d", WTERMSIG(status));
    else snprintf(one->answer, sizeof one->answer, "EXITED %d", WEXITSTATUS(status));
  }
  one->dead = true;
}

const char *ask(peer *to, const char *format, ...) {
  if (to->dead) return "DEAD";
  char command[8192];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(command, sizeof command - 1, format, arguments);
  va_end(arguments);
  command[length] = '\n';
  if (write(to->to, command, (size_t)length + 1) != length + 1) {
    wait_gone(to);
    return to->answer;
  }
  int limit_ms = strstr(command, "cuInit") || strstr(command, "PrimaryCtxRetain") ? START_LIMIT_MS : answer_limit_ms;
  size_t got = 0;
  for (;;) {
    struct pollfd ready = {to->from, POLLIN, 0};
    int count = poll(&ready, 1, limit_ms);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) {
      kill(to->pid, SIGKILL);
      wait_gone(to);
      snprintf(to->answer, sizeof to->answer, "TIMEOUT");
      return to->answer;
    }
    ssize_t part = read(to->from, to->answer + got, sizeof to->answer - 1 - got);
    if (part <= 0) {
      wait_gone(to);
      return to->answer;
    }
    got += (size_t)part;
    to->answer[got] = '\0';
    char *end = strchr(to->answer, '\n');
    if (end) {
      *end = '\0';
      return to->answer;
    }
  }
}

static void peer_free(peer *one) {
  close(one->to);
  close(one->from);
  free(one);
}

void peer_end(peer *one) {
  if (!one->dead) {
    ssize_t sent = write(one->to, "exit\n", 5);
    (void)sent;
    /* A driver that hangs at exit is killed. */
    for (int i = 0; i < 300 && waitpid(one->pid, NULL, WNOHANG) == 0; i++) {
      usleep(10000);
      if (i == 299) {
        kill(one->pid, SIGKILL);
        waitpid(one->pid, NULL, 0);
      }
    }
  }
  peer_free(one);
}

void peer_kill(peer *one) {
  if (!one->dead) {
    kill(one->pid, SIGKILL);
    waitpid(one->pid, NULL, 0);
  }
  peer_free(one);
}

void give(peer *from, peer *to, const char *handle) {
  char bytes[256];
  snprintf(bytes, sizeof bytes, "%s", ask(from, "get %s", handle));
  ask(to, "put %s %s", handle, bytes);
}

void line(const char *name, const char *result, const char *detail) {
  printf("%s/%s\t%s\t%s\n", group_name, name, result, detail);
  fflush(stdout);
}

void step(peer *to, const char *name, const char *command) { line(name, ask(to, "%s", command), ""); }

void step_then(peer *to, const char *name, const char *command, const char *then) {
  char result[sizeof to->answer];
  snprintf(result, sizeof result, "%s", ask(to, "%s", command));
  line(name, result, ask(to, "%s", then));
}

static peer *shared;

/* The shared peer, as probe.h promises it; a new one when the last did not survive. */
static peer *shared_peer(void) {
  if (shared) {
    const char *usable = ask(shared, "poke32 h 1; clear; cuDevicePrimaryCtxRetain &ctx 0; cuCtxSetCurrent ctx; cuCtxSynchronize");
    if (strcmp(usable, "CUDA_SUCCESS") != 0) {
      peer_kill(shared);
      shared = NULL;
    }
  }
  if (!shared) {
    shared = peer_with_context();
    ask(shared, "cuMemAllocHost_v2 &h 4096");
  }
  ask(shared, "memset h 0 4096");
  return shared;
}

void isolated(const char *name, const char *command) { step(shared_peer(), name, command); }

void isolated_then(const char *name, const char *command, const char *then) {
  step_then(shared_peer(), name, command, then);
}

void alone(const char *name, const char *command) {
  peer *one = peer_with_context();
  ask(one, "cuMemAllocHost_v2 &h 4096; memset h 0 4096");
  step(one, name, command);
  peer_kill(one);
}

uint64_t value(peer *from, const char *expression) { return strtoull(ask(from, "val %s", expression), NULL, 10); }

static bool wanted(const char *name, int count, char **names) {
  for (int i = 0; i < count; i++) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return count == 0;
}

#define MAX_GROUPS 64
/* Processes of a group that run at once; starting the driver takes a second and is mostly waiting. */
#define MAX_RUNNING 6

typedef struct {
  const group *what;
  pid_t pid;
  int output;
} job;

static void start(job *one) {
  one->output = memfd_create("probe", MFD_CLOEXEC);
  one->pid = fork();
  if (one->pid != 0) return;
  dup2(one->output, 1);
  group_name = one->what->name;
  one->what->run();
  if (shared) peer_kill(shared);
  fflush(stdout);
  _exit(0);
}

static void print(const job *one) {
  char part[65536];
  ssize_t got;
  lseek(one->output, 0, SEEK_SET);
  while ((got = read(one->output, part, sizeof part)) > 0) fwrite(part, 1, (size_t)got, stdout);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--peer") == 0) return run_peer(argv[2]);
  if (argc < 2) {
    fprintf(stderr, "usage: driver-probe LIBRARY [GROUP...]\n");
    return 64;
  }
  library = argv[1];
  signal(SIGPIPE, SIG_IGN);
  const char *limit = getenv("DRIVER_PROBE_LIMIT_MS");
  if (limit && atoi(limit) > 0) answer_limit_ms = atoi(limit);
  const group *const tables[] = {start_groups,  device_groups, context_groups,    memory_groups,   copy_groups,
                                 stream_groups, event_groups,  ipc_memory_groups, ipc_event_groups};
  job jobs[MAX_GROUPS];
  int count = 0, running = 0;
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    for (const group *one = tables[i]; one->name && count < MAX_GROUPS; one++) {
      if (wanted(one->name, argc - 2, argv + 2)) jobs[count++].what = one;
    }
  }
  for (int i = 0; i < count; i++) {
    if (jobs[i].what->by_itself) continue;
    if (running == MAX_RUNNING) {
      wait(NULL);
      running -= 1;
    }
    start(&jobs[i]);
    running += 1;
  }
  while (running-- > 0) wait(NULL);
  for (int i = 0; i < count; i++) {
    if (!jobs[i].what->by_itself) continue;
    start(&jobs[i]);
    waitpid(jobs[i].pid, NULL, 0);
  }
  for (int i = 0; i < count; i++) print(&jobs[i]);
  return 0;
}
