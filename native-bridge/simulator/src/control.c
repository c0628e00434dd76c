/* The process's own control table: creation, block and import entries. */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

sim_control *sim_own;
int sim_own_fd = -1;

int sim_fd_above(int fd, int minimum) {
  if (fd < 0 || fd >= minimum) return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, minimum);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

/* Kernels from 6.3 want to be told that it is never executed; older ones do not know the flag. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static int create_memfd(const char *name) {
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  return fd < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING) : fd;
}

int sim_memfd(const char *name) {
  int fd = create_memfd(name);
  if (fd >= 0 || errno != EMFILE) return fd;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return -1;
  limit.rlim_cur = limit.rlim_cur > limit.rlim_max / 2 ? limit.rlim_max : limit.rlim_cur * 2;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? create_memfd(name) : -1;
}

bool sim_control_start(void) {
  if (sim_own) return true;
  int fd = sim_fd_above(sim_memfd(SIM_CONTROL_NAME), SIM_CONTROL_FD);
  if (fd < 0) return false;
  if (ftruncate(fd, sizeof(sim_control)) != 0) {
    close(fd);
    return false;
  }
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  void *map = mmap(NULL, sizeof(sim_control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (map == MAP_FAILED) {
    close(fd);
    return false;
  }
  madvise(map, sizeof(sim_control), MADV_DONTFORK);
  madvise(map, sizeof(sim_control), MADV_DONTDUMP);
  sim_control *control = map;
  uint64_t random[2];
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
    random[0] = sim_now_ns() * 0x9e3779b97f4a7c15ull;
    random[1] = (uint64_t)getpid() * 0xbf58476d1ce4e5b9ull;
  }
  control->layout = SIM_CONTROL_LAYOUT;
  control->pid = getpid();
  /* Shaped like the heap address that the real driver puts there, but random. */
  control->token = 0x0000500000000000ull | (random[0] & 0x00000ffffffffff0ull);
  /* Until the machine gives it one of its own. */
  control->rm_client = 0xc1d00000u | (uint32_t)(random[1] & 0xffff);
  atomic_thread_fence(memory_order_release);
  control->magic = SIM_CONTROL_MAGIC;
  sim_own = control;
  sim_own_fd = fd;
  return true;
}

void sim_control_close_in_child(void) {
  if (sim_own_fd >= 0) close(sim_own_fd);
  sim_own_fd = -1;
  sim_own = NULL;
}

sim_control *sim_control_map(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || (uint64_t)status.st_size != sizeof(sim_control)) return NULL;
  void *map = mmap(NULL, sizeof(sim_control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (map == MAP_FAILED) return NULL;
  sim_control *control = map;
  if (control->magic != SIM_CONTROL_MAGIC || control->layout != SIM_CONTROL_LAYOUT) {
    munmap(map, sizeof(sim_control));
    return NULL;
  }
  madvise(map, sizeof(sim_control), MADV_DONTFORK);
  madvise(map, sizeof(sim_control), MADV_DONTDUMP);
  return control;
}

void sim_control_unmap(sim_control *control) { munmap(control, sizeof *control); }

/* No free entry lies below. */
static uint32_t lowest_free_block;

int64_t sim_control_add_block(int fd, uint64_t inode, int physical, uint64_t bytes, uint32_t pages, uint32_t counter) {
  for (uint32_t index = lowest_free_block; index < SIM_BLOCK_ENTRIES; index++) {
    sim_block_entry *entry = &sim_own->blocks[index];
    if (atomic_load(&entry->state) == SIM_ENTRY_LIVE) continue;
    entry->fd = fd;
    entry->inode = inode;
    entry->physical = physical;
    entry->bytes = bytes;
    entry->pages = pages;
    entry->counter = counter;
    atomic_store(&entry->state, SIM_ENTRY_LIVE);
    lowest_free_block = index + 1;
    if (atomic_load(&sim_own->blocks_used) <= index) atomic_store(&sim_own->blocks_used, index + 1);
    return index;
  }
  return -1;
}

void sim_control_free_block(uint32_t index) {
  atomic_store(&sim_own->blocks[index].state, SIM_ENTRY_FREED);
  if (index < lowest_free_block) lowest_free_block = index;
}

int64_t sim_control_add_import(uint64_t token, uint32_t block, uint32_t counter, int physical, uint64_t bytes) {
  for (uint32_t index = 0; index < SIM_IMPORT_ENTRIES; index++) {
    sim_import_entry *entry = &sim_own->imports[index];
    if (atomic_load(&entry->state) == SIM_ENTRY_LIVE) continue;
    entry->token = token;
    entry->block = block;
    entry->counter = counter;
    entry->physical = physical;
    entry->bytes = bytes;
    atomic_store(&entry->state, SIM_ENTRY_LIVE);
    if (atomic_load(&sim_own->imports_used) <= index) atomic_store(&sim_own->imports_used, index + 1);
    return index;
  }
  return -1;
}

void sim_control_free_import(uint32_t index) { atomic_store(&sim_own->imports[index].state, SIM_ENTRY_FREED); }
