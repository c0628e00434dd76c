/* Making and recognising the memfds that stand for shareable memory. */
#include "shareable_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control.h"

#define FILE_MAGIC 0x65726168736d6973ull
#define FILE_LAYOUT 1
#define LAST_PAGE 4096u
#define FILE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int sim_file_create(const char *name, sim_file_kind kind, sim_file_facts *facts) {
  facts->magic = FILE_MAGIC;
  facts->layout = FILE_LAYOUT;
  facts->kind = kind;
  facts->token = sim_own->token;
  facts->rm_client = sim_own->rm_client;
  facts->pid = sim_own->pid;
  int fd = sim_memfd(name);
  if (fd < 0) return -1;
  if (ftruncate(fd, (off_t)(facts->bytes + LAST_PAGE)) == 0 && sim_file_describe(fd, facts) &&
      fcntl(fd, F_ADD_SEALS, FILE_SEALS) == 0) {
    return fd;
  }
  close(fd);
  return -1;
}

bool sim_file_describe(int fd, const sim_file_facts *facts) {
  return pwrite(fd, facts, sizeof *facts, (off_t)facts->bytes) == (ssize_t)sizeof *facts;
}

CUresult sim_file_read(int fd, sim_file_kind kind, sim_file_facts *facts) {
  struct stat status;
  if (fstat(fd, &status) != 0) return CUDA_ERROR_UNKNOWN;
  /* Kernels from 6.3 add a seal against execution. */
  int seals = S_ISREG(status.st_mode) ? fcntl(fd, F_GET_SEALS) : -1;
  if (seals < 0 || (seals & FILE_SEALS) != FILE_SEALS) return CUDA_ERROR_UNKNOWN;
  if (status.st_size < (off_t)LAST_PAGE || (uint64_t)status.st_size % SIM_GRANULE != LAST_PAGE) {
    return CUDA_ERROR_UNKNOWN;
  }
  off_t bytes = status.st_size - (off_t)LAST_PAGE;
  if (pread(fd, facts, sizeof *facts, bytes) != (ssize_t)sizeof *facts) return CUDA_ERROR_UNKNOWN;
  bool sound = facts->magic == FILE_MAGIC && facts->layout == FILE_LAYOUT && facts->bytes == (uint64_t)bytes &&
               facts->device >= 0 && facts->device < SIM_MAX_DEVICES;
  if (!sound) return CUDA_ERROR_UNKNOWN;
  return facts->kind == (uint32_t)kind ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

int sim_file_share(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }
