/*
 * The driver probe: edge-case calls on a CUDA driver library, one line per step, for comparing the simulator with a
 * real driver. `driver-probe LIBRARY [GROUP…]` prints `group/step<TAB>result<TAB>detail`. Groups run
 * side by side where they can, and are printed in order.
 *
 * The program itself makes no driver call. It starts copies of itself as peers ("--peer"), which load the library and
 * obey commands on a pipe; so every step has a time limit, and a crash or a hang is a result like any other. Nothing
 * here launches kernels or makes the GPU touch an invalid address.
 *
 * A command is a driver symbol and its arguments, all of integer or pointer class:
 *   123, 0x7b       a number
 *   name            the value of a variable
 *   name+5, name-5  the same with an offset
 *   &name           the address of a variable (64 bits, zero before first use)
 *   &Hname          the address of a 64-byte handle variable; handles have capital names
 *   Hname           that handle by value (cuIpcOpen… only)
 *   buf, buf+5      a host buffer of 64 MiB of ordinary memory
 *   null            0
 * Several commands may be joined with "; ": the answer is the last one's. A command with the
 * prefix "thread " runs in a new thread, with "fork " in a forked child, with "repeat N " up to N times while it succeeds. Other commands: see peer.c.
 */
#ifndef GPU_IPC_SIM_PROBE_H
#define GPU_IPC_SIM_PROBE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
  pid_t pid;
  int to;
  int from;
  bool dead;
  char answer[4096];
} peer;

/** Unless DRIVER_PROBE_LIMIT_MS says otherwise. */
#define ANSWER_LIMIT_MS 1500
/** For the first call of a process: a real driver may have to wake the GPU. */
#define START_LIMIT_MS 30000

/** Starts a peer; `environment` is NULL or one "NAME=value" that it gets besides the own environment. */
peer *peer_start(const char *environment);
/** The same with cuInit and the primary context of device 0 current. */
peer *peer_with_context(void);
/** Sends commands and waits; the answer is "RESULT" or "RESULT<TAB>detail", or TIMEOUT, EXITED n, SIGNAL n. */
const char *ask(peer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Ends a peer: asks it to exit and waits. */
void peer_end(peer *one);
/** Kills a peer with SIGKILL and waits until it is gone. */
void peer_kill(peer *one);
/** Copies a 64-byte handle variable from one peer to another. */
void give(peer *from, peer *to, const char *handle);

/** Sends commands and prints a line for them. */
void step(peer *to, const char *name, const char *command);
/** The same; the detail is what a further command answers, usually "val EXPRESSION". */
void step_then(peer *to, const char *name, const char *command, const char *then);
/** Prints a line with a computed detail. */
void line(const char *name, const char *result, const char *detail);
/**
 * A step that may crash or hang, on a peer that such steps share as long as it survives: with the primary context
 * current, and a word of page-locked memory at h that streams can be made to wait for. A stream that waits for it to
 * become 1 is released afterwards. Steps that end the primary context take `alone`.
 */
void isolated(const char *name, const char *command);
/** The same with a further command for the detail. */
void isolated_then(const char *name, const char *command, const char *then);
/** On a peer of its own. */
void alone(const char *name, const char *command);
/** A value expression in a peer: "name", "name-other", "name%512". */
uint64_t value(peer *from, const char *expression);

typedef struct {
  const char *name;
  void (*run)(void);
  /** Looks at the device's free memory, so nothing else may run meanwhile. */
  bool by_itself;
} group;

/** All groups, ended by a NULL name; steps_*.c. */
extern const group start_groups[], device_groups[], context_groups[], memory_groups[], copy_groups[], stream_groups[],
    event_groups[], ipc_memory_groups[], ipc_event_groups[];

int run_peer(const char *library);

#endif
