import { setFlagsFromString } from 'node:v8';

/** Commands that read a whole batch, or look at one, and end. */
const READING: readonly (string | undefined)[] = ['plan', 'results', 'verify', 'status', 'list', 'explain'];

/**
 * Keeps the heap of a command that only reads near to what it holds. Such a command makes much garbage and holds next to nothing; by default V8
 * lets the heap grow to several times its live part before it collects, so that memory would grow with the batch although nothing is
 * kept of it. `docs/decisions/memory.md` has the figures.
 */
export function keepHeapSmall(command: string | undefined): void {
  if (!READING.includes(command)) return;
  // V8 reads both whenever it decides to grow, so they can be set while it runs.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
