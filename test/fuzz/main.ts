/**
 * `npm run fuzz`: feeds what reads media, settings and schedules with damaged ones, and looks for crashes, hangs and lengths that are
 * none. The seed and the number of a case say all of it.
 */
import { build } from 'esbuild';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { FuzzJob } from './fuzz-thread.ts';
import { partOf, PARTS } from './parts.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A case takes milliseconds; whichever takes as many looks as this hangs. */
const LOOK_MS = 250;
const MAX_LOOKS = 16;
/** Findings that are shown; more are alike. */
const MAX_FINDINGS = 20;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    cases: { type: 'string', default: '100000' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
  },
});
const [seed, cases, first] = [Number(values.seed), Number(values.cases), Number(values.from)];
const only = values.only;
if (![seed, cases, first].every(Number.isSafeInteger) || (only !== undefined && !(only in PARTS))) {
  throw new Error(
    `Expected whole numbers for --seed, --cases and --from, and for --only one of ${Object.keys(PARTS).join(', ')}.`,
  );
}

/** Node 20 starts no thread from TypeScript. */
const entry = join(ROOT, 'node_modules', '.cache', 'fuzz', 'fuzz-thread.mjs');
await build({
  entryPoints: [join(ROOT, 'test', 'fuzz', 'fuzz-thread.ts')],
  outfile: entry,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
});

const findings: string[] = [];
let hangs = 0;

function find(number: number, words: string): void {
  const again = `npm run fuzz -- --seed ${seed} --from ${number} --cases 1${only === undefined ? '' : ` --only ${only}`}`;
  findings.push(words);
  if (findings.length <= MAX_FINDINGS) console.log(`FOUND in ${partOf(number, only)}: ${words}\n  ${again}`);
}

/** Runs cases until all are done or one hangs. Returns the number of the next one. */
async function runFrom(from: number, to: number): Promise<number> {
  const at = new Int32Array(new SharedArrayBuffer(4)).fill(from);
  const job: FuzzJob = { seed, from, to, only, at };
  const thread = new Worker(entry, { workerData: job, env: {}, resourceLimits: { maxOldGenerationSizeMb: 512 } });
  let ended: Error | 'done' | undefined;
  thread.on('message', ({ number, words }: { readonly number: number; readonly words: string }) => {
    find(number, words);
  });
  thread.on('error', (error) => {
    ended = error;
  });
  thread.on('exit', () => {
    ended ??= 'done';
  });
  let looks = 0;
  let seen = -1;
  while (ended === undefined) {
    await sleep(LOOK_MS);
    const now = at[0] ?? from;
    looks = now === seen ? looks + 1 : 0;
    seen = now;
    if (looks < MAX_LOOKS) continue;
    await thread.terminate();
    if (PARTS[partOf(now, only)]?.mayHang === true) hangs += 1;
    else find(now, `it did not end in ${(LOOK_MS * MAX_LOOKS) / 1_000} s`);
    return now + 1;
  }
  if (ended === 'done') return to;
  const died = at[0] ?? from;
  find(died, `it ended its thread: ${ended.message}`);
  return died + 1;
}

const counts = new Map<string, number>();
for (let number = first; number < first + cases; number += 1) {
  const name = partOf(number, only);
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
console.log(`seed ${seed}, ${cases} cases: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`);
for (let next = first; next < first + cases;) next = await runFrom(next, first + cases);
console.log(`${cases} cases, ${findings.length} findings, ${hangs} hangs of a library that a deadline ends`);
process.exitCode = findings.length === 0 ? 0 : 1;
