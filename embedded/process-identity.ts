import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Names this process so that another one can tell later whether it is dead: the boot of the machine, the space in which
 * its pid counts, the pid, and when it started. Undefined where the system does not say: only Linux does.
 */
export function processIdentity(): string | undefined {
  const start = startOf(process.pid);
  const machine = machineNow();
  if (start === undefined || machine === undefined) return undefined;
  return `${machine} ${String(process.pid)} ${start}`;
}

/**
 * True if the process of this identity is certainly dead: it was of this boot, its pid counts in the same space as ours,
 * and no live process has that pid and start.
 */
export function isProvenDead(identity: string): boolean {
  const [boot, space, pid, start] = identity.split(' ');
  if (start === undefined || `${boot ?? ''} ${space ?? ''}` !== machineNow()) return false;
  return startOf(Number(pid)) !== start;
}

/** The boot, and the space of pids. */
function machineNow(): string | undefined {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** When a live process started, in ticks since the boot. Undefined: there is none, or it waits for its parent to notice that it is dead. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name of the command may have spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
