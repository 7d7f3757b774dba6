import { readFileSync } from 'node:fs';
import { VoxbatchError } from './problem.ts';

/** Largest file below which a system's limit is too small for a batch, bytes. */
const LEAST_BYTES = 1e9;

/**
 * Throws {@link VoxbatchError} (`small-files`) if this process, and a server that it starts, may only write small files
 * (`ulimit -f`): the ledger would fail in mid-batch, while paid answers arrive. Does nothing where the system does not
 * tell its limits.
 */
export function requireLargeFiles(): void {
  const [, soft, hard] = /^Max file size +(\S+) +(\S+)/mu.exec(readLimits()) ?? [];
  const mostBytes = Number(soft);
  if (mostBytes < LEAST_BYTES)
    throw new VoxbatchError({ type: 'small-files', mostBytes, mayLift: hard === 'unlimited' });
}

/** Empty on systems other than Linux. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
