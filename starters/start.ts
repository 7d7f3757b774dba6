import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { main } from './main.ts';
import { hideSecrets } from './own-environment.ts';

/** Prepares this process for the command line (secrets, V8 flags), then runs {@link main}. Returns the exit code. */
export function start(args: readonly string[]): Promise<number> {
  // First, because no program that a command starts may find the token in this process.
  hideSecrets();
  limitInlining();
  limitHeap(args[0]);
  return main(args);
}

/** Commands that only read records or a manifest, and end. */
const READ_ONLY_COMMANDS: readonly (string | undefined)[] = ['plan', 'results', 'verify', 'status', 'list', 'explain'];

/**
 * The size to which the young generation grows, once. Rows that are read together make some MB of garbage; in a smaller
 * one they would be copied to the old generation, whose collections cost more.
 */
const YOUNG_GENERATION_BYTES = 8 * 1024 ** 2;

/**
 * Keeps the heap of a read-only command close to its live data. Such a command makes much garbage and keeps little, but
 * V8 lets a heap grow to several times its live part before it collects, so memory would grow with the batch.
 * `docs/decisions/memory.md` has the figures.
 */
function limitHeap(command: string | undefined): void {
  if (!READ_ONLY_COMMANDS.includes(command)) return;
  // V8 reads these flags whenever it grows the heap, so they can be set while it runs.
  setFlagsFromString('--semi-space-growth-factor=8');
  setFlagsFromString('--heap-growing-percent=50');
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (young === undefined || young.space_size < YOUNG_GENERATION_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ type: 'gc' });
}

/**
 * Limits inlining by V8's optimizing compiler, in all threads. A third of its compile time goes into inlined code, and
 * most batches end before that pays (docs/decisions/cpu.md). V8's default is 920 bytes of bytecode per function.
 */
function limitInlining(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}
