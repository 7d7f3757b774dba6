import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Names this process so that another one can tell later whether it is dead: the boot of the machine, the space in which
 * its pid counts, the pid, and when it started. Undefined where the system does not say: only Linux does.
 */
export function processIdentity(): string | undefined {
  const stat = readStat(process.pid);
  const start = stat === undefined ? undefined : startIn(stat);
  const machine = machineNow();
  if (start === undefined || machine === undefined) return undefined;
  return `${machine} ${String(process.pid)} ${start}`;
}

/**
 * True if the process of this identity is certainly dead: it was of this boot, its pid counts in the same space as ours,
 * and no live process has that pid and start. That `/proc` does not show it proves nothing: it hides the processes of other users
 * where it is mounted with `hidepid`.
 */
export function isProvenDead(identity: string, read: ReadStat = readStat): boolean {
  const [boot, space, pid, start] = identity.split(' ');
  if (start === undefined || `${boot ?? ''} ${space ?? ''}` !== machineNow()) return false;
  const found = read(Number(pid));
  return found === undefined ? isGone(Number(pid)) : startIn(found) !== start;
}

/** The line of `/proc` about a process; undefined if it is not shown. */
type ReadStat = (pid: number) => string | undefined;

/** The boot, and the space of pids. */
function machineNow(): string | undefined {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

function readStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  } catch {
    return undefined;
  }
}

/** When a process started, in ticks since the boot. Undefined: it is dead, and waits for its parent to notice. */
function startIn(stat: string): string | undefined {
  // The name of the command may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** Whether no process has this pid. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
