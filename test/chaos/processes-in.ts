import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process that was found. */
export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/** Processes that run in a folder or name it on their command line, by the kernel's word (Linux). Dead ones do not count. */
export async function processesIn(folder: string): Promise<FoundProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [cwd, commandLine] = await Promise.all([
        readlink(`/proc/${pid}/cwd`).catch(() => ''),
        // Empty for a process that is dead and not yet collected.
        readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      ]);
      const command = commandLine.replaceAll('\0', ' ').trim();
      const isThere = command !== '' && (cwd.startsWith(folder) || command.includes(folder));
      return isThere && Number(pid) !== process.pid ? [{ pid: Number(pid), command }] : [];
    }),
  );
  return found.flat();
}
