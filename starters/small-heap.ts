import { setFlagsFromString } from 'node:v8';

/** Commands that read a whole batch, or show one, and end. */
const READING: readonly (string | undefined)[] = ['plan', 'results', 'verify', 'status', 'list', 'explain'];

/**
 * Keeps the heap of a read-only command close to its live data. Such a command makes much garbage and keeps next to
 * nothing. By default V8 lets the heap grow to several times its live part before it collects, so memory would grow
 * with the batch although nothing of it is kept. `docs/decisions/memory.md` has the figures.
 */
export function keepHeapSmall(command: string | undefined): void {
  if (!READING.includes(command)) return;
  // V8 reads both whenever it decides to grow, so they can be set while it runs.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
