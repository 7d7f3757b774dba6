import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { waitFor } from './wait-for.ts';

/** A process that was found. */
export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/** Processes that run in a folder or name it on their command line, by the kernel's word (Linux). Dead ones do not count. */
export function processesIn(folder: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        // Empty for a process that is dead and not yet collected.
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const isThere = command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
        return command !== '' && isThere ? [{ pid: Number(pid), command }] : [];
      } catch {
        return []; // It has ended, or is another user's.
      }
    });
}

/** SIGKILL for each of them. */
export function killIn(folder: string): void {
  for (const { pid } of processesIn(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It had ended.
    }
  }
}

/** The same, and again until they are gone: one that is being killed may just have started another. */
export async function killAllIn(folder: string): Promise<void> {
  await waitFor(
    () => {
      killIn(folder);
      return processesIn(folder).length === 0;
    },
    undefined,
    100,
  );
}
