/*
 * What a process tells the other simulator processes of the machine: one memfd, `gpu-ipc-sim.control`, that others open
 * as /proc/<pid>/fd/<n> and map. It holds the table of memory blocks that handles are checked against, where its tables
 * of events are, and what counts against the devices' memory. It lives as long as someone maps it, and nothing is left
 * when the last one goes, however it goes.
 */
#ifndef GPU_IPC_SIM_CONTROL_H
#define GPU_IPC_SIM_CONTROL_H

#include "sim.h"

#define SIM_CONTROL_NAME "gpu-ipc-sim.control"
#define SIM_MACHINE_NAME "gpu-ipc-sim.machine"
#define SIM_BLOCK_NAME "gpu-ipc-sim.block"
#define SIM_EVENTS_NAME "gpu-ipc-sim.events"
#define SIM_CONTROL_MAGIC 0x6c72746375706770ull
#define SIM_CONTROL_LAYOUT 2

/** A fixed place for the control memfd, so that other processes usually find it without listing a directory. */
#define SIM_CONTROL_FD 784

#define SIM_EVENT_TABLES 256u
#define SIM_HELD_TABLES 1024u
#define SIM_IMPORT_ENTRIES 65536u
#define SIM_BLOCK_ENTRIES (1u << 20)

/** What an entry says about memory that legacy handles do not share. */
#define SIM_PAGES_OF_NO_HANDLE UINT32_MAX

enum { SIM_ENTRY_UNUSED = 0, SIM_ENTRY_LIVE = 1, SIM_ENTRY_FREED = 2 };

/**
 * One physical block of device memory. The index is in the handle's RM object number, and is used again at once, as the
 * driver does: an old handle then opens the new block. `counter` never comes again.
 */
typedef struct {
  _Atomic uint32_t state;
  uint32_t counter;
  /** What a handle says about the size, in 4 KiB pages. */
  uint32_t pages;
  uint32_t padding;
  /** The block's memfd in the owner, and its inode, so that a number used again is noticed. */
  int32_t fd;
  int32_t physical;
  uint64_t bytes;
  uint64_t inode;
} sim_block_entry;

/** One block of another process that this one has open: counted when the owner no longer counts it. */
typedef struct {
  _Atomic uint32_t state;
  int32_t physical;
  uint64_t token;
  uint64_t bytes;
  uint32_t block;
  uint32_t counter;
} sim_import_entry;

/** A table of events (event_tables.h) that this process made, or that it has open of another process. */
typedef struct {
  _Atomic uint32_t state;
  /** Whose it is, and its number there. */
  int32_t pid;
  uint32_t number;
  /** Its memfd in this process. */
  int32_t fd;
} sim_table_entry;

typedef struct {
  uint64_t magic;
  uint32_t layout;
  int32_t pid;
  /** Random, different in every process. */
  uint64_t token;
  /** Different in every process of the machine: by it the driver finds the exporter of a memory handle. */
  uint32_t rm_client;
  _Atomic uint32_t imports_used;
  _Atomic uint32_t blocks_used;
  uint32_t padding;
  /** Bytes of live blocks per device of the machine. */
  _Atomic uint64_t own_bytes[SIM_MAX_DEVICES];
  sim_table_entry own_tables[SIM_EVENT_TABLES];
  sim_table_entry held_tables[SIM_HELD_TABLES];
  sim_import_entry imports[SIM_IMPORT_ENTRIES];
  sim_block_entry blocks[SIM_BLOCK_ENTRIES];
} sim_control;

/** This process's own; NULL before cuInit. */
extern sim_control *sim_own;
/** The fd of the own control memfd. */
extern int sim_own_fd;

bool sim_control_start(void);
void sim_control_close_in_child(void);

/** Maps a control memfd after checking that it is one. NULL when it is not. The fd stays the caller's. */
sim_control *sim_control_map(int fd);
void sim_control_unmap(sim_control *control);

/** Puts a new block into the own table; its index, or -1 when the table is full. */
int64_t sim_control_add_block(int fd, uint64_t inode, int physical, uint64_t bytes, uint32_t pages, uint32_t counter);
void sim_control_free_block(uint32_t index);
/** Notes an open block of another process; -1 when the table is full. */
int64_t sim_control_add_import(uint64_t token, uint32_t block, uint32_t counter, int physical, uint64_t bytes);
void sim_control_free_import(uint32_t index);

/** Moves a descriptor out of the low numbers that select() users need; the same one when that is not possible. */
int sim_fd_above(int fd, int minimum);
/**
 * A memfd that can be sealed, closed on exec. Raises the soft limit of open files towards the hard one when it is
 * reached. -1 when there is none to be had.
 */
int sim_memfd(const char *name);

#endif
