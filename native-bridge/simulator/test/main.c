/* `simulator-tests --list` names the cases, `simulator-tests CASE` runs one; exit status 0 means that it holds. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

int main(int argc, char **argv) {
  const test_case *const tables[] = {memory_tests, stream_tests, sharing_tests, shareable_tests, process_tests, kernel_tests};
  signal(SIGPIPE, SIG_IGN);
  /* Other simulator processes of this user must not count in what a case measures. */
  char machine[32];
  snprintf(machine, sizeof machine, "tests-%d", (int)getpid());
  setenv("GPU_IPC_SIM_MACHINE", machine, 0);
  if (argc == 3 && strcmp(argv[1], "--role") == 0) return run_role(argv[2]);
  if (argc != 2) {
    fprintf(stderr, "usage: simulator-tests --list | CASE\n");
    return 64;
  }
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    for (const test_case *one = tables[i]; one->name; one++) {
      if (strcmp(argv[1], "--list") == 0) {
        puts(one->name);
      } else if (strcmp(argv[1], one->name) == 0) {
        one->run();
        return 0;
      }
    }
  }
  if (strcmp(argv[1], "--list") == 0) return 0;
  fprintf(stderr, "no such case: %s\n", argv[1]);
  return 64;
}
