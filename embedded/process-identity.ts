import { orElse } from '../contract/or-else.ts';
import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Returns an identity of this process, by which another one can later check whether it is dead: boot id, pid namespace,
 * pid and start time. Undefined except on Linux, which alone provides these.
 */
export function processIdentity(): string | undefined {
  const stat = readStat(process.pid);
  const start = stat === undefined ? undefined : startTicksIn(stat);
  const machine = machineIdentity();
  if (start === undefined || machine === undefined) return undefined;
  return `${machine} ${String(process.pid)} ${start}`;
}

/**
 * Returns whether the process of this identity is certainly dead: it has the current boot and our pid namespace, but no
 * live process has that pid and start time. Absence from `/proc` alone proves nothing: with `hidepid` it hides other
 * users' processes.
 */
export function isProvenDead(identity: string, read: ReadStat = readStat): boolean {
  const [boot, space, pid, start] = identity.split(' ');
  if (start === undefined || `${boot ?? ''} ${space ?? ''}` !== machineIdentity()) return false;
  const found = read(Number(pid));
  return found === undefined ? isGone(Number(pid)) : startTicksIn(found) !== start;
}

/** Returns when a process started, ms since 1970, in whole seconds; undefined except on Linux. */
export function startTimeOf(pid: number): number | undefined {
  const stat = readStat(pid);
  const ticks = stat === undefined ? undefined : startTicksIn(stat);
  const bootedAt = /^btime (\d+)$/mu.exec(orElse(() => readFileSync('/proc/stat', 'utf8'), ''))?.[1];
  if (ticks === undefined || bootedAt === undefined) return undefined;
  // The kernel reports start times in hundredths of a second, whatever its own tick rate.
  return (Number(bootedAt) + Math.round(Number(ticks) / 100)) * 1_000;
}

/** Reads a process's stat line in `/proc`; undefined if it is not visible. */
type ReadStat = (pid: number) => string | undefined;

/** Returns the boot id and pid namespace of this process. */
function machineIdentity(): string | undefined {
  const boot = bootId();
  return boot === undefined ? undefined : orElse(() => `${boot} ${readlinkSync('/proc/self/ns/pid')}`, undefined);
}

/** Returns the id that the kernel draws at each start, different on each machine, even on clones. Linux only. */
export function bootId(): string | undefined {
  return orElse(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), undefined);
}

function readStat(pid: number): string | undefined {
  return orElse(() => readFileSync(`/proc/${String(pid)}/stat`, 'utf8'), undefined);
}

/** Returns a process's start time, from its stat line, in ticks since boot; undefined for a zombie. */
function startTicksIn(stat: string): string | undefined {
  // The command name may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** Returns whether no process has this pid. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
