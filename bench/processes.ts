import { readdirSync, readFileSync } from 'node:fs';

/** Resources that a process has used so far. */
export interface Usage {
  /** CPU time, user and system, ms. */
  readonly cpuMs: number;
  /** Resident memory now, and at its peak, MB. */
  readonly residentMb: number;
  readonly peakMb: number;
}

/** Length of a tick, the unit of CPU time in `/proc/PID/stat`, on Linux. */
const TICK_MS = 10;

/** Returns the resources that a process has used; undefined once it is gone. Linux. */
export function usageOf(pid: number): Usage | undefined {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    const mb = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`, 'u').exec(status)?.[1] ?? 0) / 1024;
    const ticks = fieldsOf(pid);
    const cpuMs = (Number(ticks[11]) + Number(ticks[12])) * TICK_MS;
    return { cpuMs, residentMb: mb('VmRSS'), peakMb: mb('VmHWM') };
  } catch {
    return undefined;
  }
}

/** Returns the process ids of a process's children. Linux. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((child) => {
      try {
        return Number(fieldsOf(child)[1]) === pid;
      } catch {
        return false;
      }
    });
}

/** Returns the fields of `stat` after the name, which may contain spaces: state, parent, … */
function fieldsOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
