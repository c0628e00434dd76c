/**
 * File descriptors of any process that could be shared GPU memory, and whether this app may take copies of them
 * (pidfd_getfd). What a descriptor is, nobody can tell from outside: the driver's are all /dev/nvidiactl, and only
 * importing one shows whether it is a pool, physical memory, or the driver's own.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { GpuIpcError } from '#contract/result';
import { copyForeignDescriptor } from '#native/posix/foreign-descriptors';
import { closeDescriptor, PosixError } from '#native/posix/libc';
import { ownPidNamespace, presence, processFacts } from '#native/posix/process';

export interface Candidate {
  readonly fd: number;
  /** What /proc says that it is: `/dev/nvidiactl`. */
  readonly file: string;
}

export interface DescriptorsOfProcess {
  readonly name: string;
  readonly allowed: boolean | null;
  readonly why: string;
  readonly candidates: Candidate[];
}

/** `/dev/nvidiactl`, or a memory file of the simulator that stands for shareable memory. */
export const isCandidate = (file: string): boolean =>
  file === '/dev/nvidiactl' || /^\/memfd:gpu-ipc-sim\.(pool|physical)\b/.test(file);

/** What decides whether a copy may be taken: `man pidfd_getfd` wants PTRACE_MODE_ATTACH_REALCREDS. */
export interface TakingFacts {
  /** What trying gave: `ok`, or the errno; `undefined` when there was nothing to try. */
  readonly tried: string | undefined;
  /** Whether it is a process of the user whom this one belongs to; `undefined` when the kernel does not tell. */
  readonly sameUser: boolean | undefined;
  /** CAP_SYS_PTRACE among this process's effective capabilities. */
  readonly ptraceCapability: boolean;
  /** /proc/sys/kernel/yama/ptrace_scope; `undefined` on kernels without Yama. */
  readonly ptraceScope: number | undefined;
  /** Whether this process started it, itself or through others. */
  readonly descendant: boolean;
  /** Whether it counts pids as this process does; `undefined` when the kernel does not tell. */
  readonly samePidNamespace: boolean | undefined;
}

/** @throws GpuIpcError `not-found` when nobody has this pid, `unsupported` without /proc */
export function descriptorsOf(pid: number): DescriptorsOfProcess {
  if (process.platform !== 'linux') {
    throw new GpuIpcError({ code: 'unsupported', message: 'File descriptors of other processes: on Linux only.' });
  }
  const facts = processFacts(pid);
  if (facts === undefined && presence(pid) === 'gone') {
    throw new GpuIpcError({ code: 'not-found', message: `No process has the pid ${pid}.` });
  }
  const found = candidatesOf(pid);
  const namespace = facts?.pidNamespace;
  const own = ownPidNamespace();
  const { allowed, why } = mayTake({
    tried: typeof found === 'string' ? found : trying(pid, found),
    sameUser: sameUser(pid),
    ptraceCapability: hasPtraceCapability(read('/proc/self/status') ?? ''),
    ptraceScope: number(read('/proc/sys/kernel/yama/ptrace_scope')),
    descendant: descendsFrom(pid, process.pid),
    samePidNamespace: namespace === undefined || own === undefined ? undefined : namespace === own,
  });
  const name = facts?.name || `pid ${pid}`;
  return { name, allowed, why, candidates: typeof found === 'string' ? [] : found };
}

/** Whether copies may be taken, and the rule that decides it. */
export function mayTake(facts: TakingFacts): { readonly allowed: boolean | null; readonly why: string } {
  const { tried } = facts;
  const namespace =
    facts.samePidNamespace === false
      ? ' It is in another pid namespace: it and its descriptors have other numbers there than its programs say.'
      : '';
  if (tried === 'ok') return { allowed: true, why: `A copy was taken and closed again.${namespace}` };
  const reason = hindrance(facts);
  if (tried === undefined) {
    if (reason !== undefined) return { allowed: false, why: `${reason}${namespace}` };
    return {
      allowed: facts.sameUser === undefined ? null : true,
      why: `It has no descriptor that could be shared GPU memory, so nothing was tried.${namespace}`,
    };
  }
  if (tried === 'ENOSYS') return { allowed: false, why: 'This kernel has no pidfd_getfd (Linux 5.6 and later).' };
  if (tried === 'ESRCH') return { allowed: false, why: 'The process has ended.' };
  if (tried === 'EBADF') return { allowed: null, why: 'The descriptor was closed meanwhile: ask again.' };
  const otherwise =
    'The kernel refuses it: the process does not let others look into it (it is not dumpable), or a security module or container forbids pidfd_getfd.';
  return { allowed: false, why: `${reason ?? otherwise} (${tried})${namespace}` };
}

/** The first rule that forbids it; none when every one of them is fulfilled. */
function hindrance(facts: TakingFacts): string | undefined {
  const { ptraceScope } = facts;
  if (ptraceScope === 3) return 'Yama forbids it to everybody until the next start (ptrace_scope is 3).';
  if (facts.ptraceCapability) return undefined;
  if (facts.sameUser === false) return 'The process belongs to another user, and this app has no CAP_SYS_PTRACE.';
  if (ptraceScope === 2) return 'Yama allows it with CAP_SYS_PTRACE only (ptrace_scope is 2).';
  if (ptraceScope === 1 && !facts.descendant) {
    return 'Yama allows it for processes that this app started only (ptrace_scope is 1). Run as root: sysctl kernel.yama.ptrace_scope=0, or start the app with CAP_SYS_PTRACE.';
  }
  return undefined;
}

/** The errno instead when the kernel does not let this user look. */
function candidatesOf(pid: number): Candidate[] | string {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder)
      .flatMap((fd) => {
        const file = link(`${folder}/${fd}`);
        return file !== undefined && isCandidate(file) ? [{ fd: Number(fd), file }] : [];
      })
      .sort((a, b) => a.fd - b.fd);
  } catch (error) {
    const { code = 'EIO' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'ESRCH' : code;
  }
}

/** Takes a copy of the first candidate and closes it. */
function trying(pid: number, [first]: readonly Candidate[]): string | undefined {
  if (first === undefined) return undefined;
  try {
    closeDescriptor(copyForeignDescriptor(pid, first.fd));
    return 'ok';
  } catch (error) {
    if (error instanceof PosixError) return error.code;
    throw error;
  }
}

/** Real, effective and saved user of another process must all be the caller's real user. */
function sameUser(pid: number): boolean | undefined {
  const line = /^Uid:\s*(\d+)\s+(\d+)\s+(\d+)/m.exec(read(`/proc/${pid}/status`) ?? '');
  const own = process.getuid?.();
  if (line === null || own === undefined) return undefined;
  return line.slice(1).every((uid) => Number(uid) === own);
}

const CAP_SYS_PTRACE = 19n;

/** @param status text of /proc/self/status */
export function hasPtraceCapability(status: string): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1];
  return effective !== undefined && ((BigInt(`0x${effective}`) >> CAP_SYS_PTRACE) & 1n) === 1n;
}

function descendsFrom(pid: number, ancestor: number): boolean {
  // A process that is adopted meanwhile may make a circle of pids that are used again; no tree is that deep.
  for (let at = pid, depth = 0; at > 1 && depth < 64; depth++) {
    if (at === ancestor) return true;
    at = Number(/^PPid:\s*(\d+)/m.exec(read(`/proc/${at}/status`) ?? '')?.[1] ?? 0);
  }
  return false;
}

const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function link(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
