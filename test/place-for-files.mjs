import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
/** What all tests together write, and as much again, in bytes. */
const ENOUGH = 2 ** 31;

/**
 * The folder that tests write to. In memory where there is room: most write a ledger, which waits for its disk at each step.
 * `TMPDIR` says another.
 */
export function placeForFiles() {
  const isSaid = process.env['TMPDIR'] !== undefined;
  return !isSaid && isMemory() && hasRoom() ? IN_MEMORY : tmpdir();
}

/** True if it is a disk in memory, from which a test may also run what it wrote. */
function isMemory() {
  if (!existsSync('/proc/self/mounts')) return false;
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, place]) => place === IN_MEMORY);
  const [, , type, options = ''] = mounts.at(-1) ?? [];
  return type === 'tmpfs' && !options.split(',').includes('noexec');
}

function hasRoom() {
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, freemem() / 2) > ENOUGH;
}
