/** Lets the snippets, which are children of this process, copy its file descriptors where Yama lets only parents. */
import { systemCall } from '../posix/libc';

const PR_SET_PTRACER = 0x59616d61;
const PR_SET_PTRACER_ANY = -1;
/** prctl has another number on each architecture. */
const numbers: Readonly<Partial<Record<NodeJS.Architecture, number>>> = { x64: 157, arm64: 167 };

/** Does nothing on a kernel without Yama, where it is not needed. */
export function allowToCopyDescriptors(): void {
  const number = numbers[process.arch];
  if (number === undefined) return;
  try {
    systemCall('prctl', number, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0);
  } catch {
    // EINVAL: this kernel has no Yama.
  }
}
