import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { main } from './main.ts';
import { hideSecrets } from './own-environment.ts';

/** Runs the command line of this process: `main` with what holds for a process of our own. Returns its exit code. */
export function start(args: readonly string[]): Promise<number> {
  // First: no program that a command starts may find the token in a process above it.
  hideSecrets();
  compileLess();
  keepHeapSmall(args[0]);
  return main(args);
}

/** Commands that read a whole batch, or show one, and end. */
const READING: readonly (string | undefined)[] = ['plan', 'results', 'verify', 'status', 'list', 'explain'];

/**
 * The young generation grows once, from 1 MB to 8: rows that are looked at together take some MB of garbage, and what
 * is not dead yet when it is full is copied, and then collected with the old generation.
 */
const YOUNG_BYTES = 8 * 1024 ** 2;

/**
 * Keeps the heap of a read-only command close to its live data. Such a command makes much garbage and keeps next to
 * nothing. By default V8 lets the heap grow to several times its live part before it collects, so memory would grow
 * with the batch although nothing of it is kept. `docs/decisions/memory.md` has the figures.
 */
function keepHeapSmall(command: string | undefined): void {
  if (!READING.includes(command)) return;
  // V8 reads both whenever it decides to grow, so they can be set while it runs.
  setFlagsFromString('--semi-space-growth-factor=8');
  setFlagsFromString('--heap-growing-percent=50');
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (young === undefined || young.space_size < YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ type: 'gc' });
}

/**
 * Lets V8's optimizing compiler copy less code of called functions into their callers. A third of V8's compile time
 * goes into such copies, and most batches end before they pay (docs/decisions/cpu.md). Holds for all threads. Default
 * of V8: 920 bytes of bytecode a function.
 */
function compileLess(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}
