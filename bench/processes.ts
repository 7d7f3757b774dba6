import { readdirSync, readFileSync } from 'node:fs';

/** Resources that a process has used so far. */
export interface Usage {
  /** User and system, ms. */
  readonly cpuMs: number;
  /** Resident now, and at its peak, MB. */
  readonly residentMb: number;
  readonly peakMb: number;
}

/** Ticks of the kernel's clock in `/proc/PID/stat` last 10 ms on Linux. */
const TICK_MS = 10;

/** Resources used by a process; undefined once it is gone. Linux. */
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

/** The children of a process. */
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

/** Fields of `stat` after the name, which may hold spaces: state, parent, … */
function fieldsOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
