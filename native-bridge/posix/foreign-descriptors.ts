/**
 * Taking a copy of a file descriptor out of another process that does not send it (Linux 5.6 and later). Allowed to
 * root, and to others as ptrace is: same user, and Yama permitting.
 */
import { closeDescriptor, systemCall } from './libc';

/** The numbers are the same on every architecture. */
const PIDFD_OPEN = 434;
const PIDFD_GETFD = 438;

/**
 * A new descriptor, closed on exec, of the file that `descriptor` is in process `pid`.
 * @throws PosixError: `pidfd_open failed: ESRCH` for no such process; `pidfd_getfd failed: EBADF` for no such
 *   descriptor, `EPERM` without the right to it, `ENOSYS` on older kernels
 */
export function copyForeignDescriptor(pid: number, descriptor: number): number {
  const process = systemCall('pidfd_open', PIDFD_OPEN, pid, 0, 0);
  try {
    return systemCall('pidfd_getfd', PIDFD_GETFD, process, descriptor, 0);
  } finally {
    closeDescriptor(process);
  }
}
