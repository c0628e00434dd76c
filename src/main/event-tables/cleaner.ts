/**
 * A shell that waits for this process to end. When main is killed, Chromium ends the utility processes at once, without
 * running any code of theirs, so nobody else is left to remove the event tables of main and of them. It reads the
 * processes from a pipe, which the kernel closes when main is gone, however that happened.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { ProcessIdentity } from '#native/posix/process';

export interface Cleaner {
  /** A process whose tables go when main and it are dead. */
  add(process: ProcessIdentity): void;
  /** Nothing is left to do: it ends. */
  dismiss(): void;
}

/** Lines are PID:START TICKS:PID IN HEX, or `done`. The rules are those of native-bridge/posix/event-tables.ts. */
const SCRIPT = `
trap '' HUP INT TERM
folder=$1 uid=$2 known=
while read -r line; do
  [ "$line" = done ] && exit 0
  known="$known $line"
done
look() { # PID START: sets found to same, other or gone; a zombie is gone
  found=gone
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  set -- "$2" \${stat##*)}
  case $2 in Z | X) return 0 ;; esac
  if [ "\${21}" = "$1" ]; then found=same; else found=other; fi
}
for each in $known; do
  pid=\${each%%:*} rest=\${each#*:}
  start=\${rest%%:*} hex=\${rest#*:} tries=50
  look "$pid" "$start"
  while [ $found = same ] && [ $tries -gt 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
    look "$pid" "$start"
  done
  [ $found = gone ] || continue
  prefix=$folder/cuda.shm.$uid.$hex.
  for file in "$prefix"*; do
    case \${file#"$prefix"} in '' | *[!0-9a-f]*) continue ;; esac
    [ -f "$file" ] && [ ! -L "$file" ] && [ -O "$file" ] && rm -f -- "$file"
  done
done
`;

/** The shell alone; whoever holds its standard input decides when it begins. */
export function spawnShell(folder: string): ChildProcessByStdio<Writable, null, null> {
  const arguments_ = ['-c', SCRIPT, 'gpu-ipc-inspector-cleaner', folder, String(process.getuid?.())];
  // In a session of its own: a Ctrl+C in the terminal must not end it before main.
  return spawn('/bin/sh', arguments_, {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
}

/** @param folder  where the tables are */
export function startCleaner(folder: string, shell = spawnShell(folder)): Cleaner {
  // Without a shell, or when somebody ended it, the next start of the app removes what is left.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return {
    add: ({ pid, startTicks }) => void shell.stdin.write(`${pid}:${startTicks}:${pid.toString(16)}\n`),
    dismiss: () => void shell.stdin.end('done\n'),
  };
}
