/*
 * The machine: which simulator processes live, so that device memory is counted across all of them. One memfd,
 * `gpu-ipc-sim.machine`, made by the first process of a user and passed on by being open in each. Each process holds a
 * file lock on its slot's byte; the kernel drops it with the process, so a slot tells reliably whether its owner lives.
 * It also gives each process its RM client number, as the kernel module of a real driver does.
 */
#ifndef GPU_IPC_SIM_MACHINE_H
#define GPU_IPC_SIM_MACHINE_H

#include "control.h"

#define SIM_MACHINE_SLOTS 1024

/** Finds the machine of the other simulator processes or makes one, and takes a slot. Without /proc: alone. */
void sim_machine_join(void);
void sim_machine_close_in_child(void);

/** Calls `visit` with the control table of every other living process. */
void sim_machine_visit_others(void (*visit)(const sim_control *control, void *data), void *data);
/** Opens the control memfd of a living process by its pid, checked by name; -1 when it has none. */
int sim_machine_open_control(int32_t pid);
/**
 * The living process with this RM client number, wherever it is: its control table mapped for the caller, and its pid.
 * NULL when there is none.
 */
sim_control *sim_machine_find_client(uint32_t rm_client, int32_t *pid);
/** Opens another process's memfd after checking its name; -1 when there is none of that name. */
int sim_machine_open_memfd(int32_t pid, int fd_number, const char *name);

#endif
