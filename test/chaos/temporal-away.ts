import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../support/wait-for.ts';
import type { Finding } from './finding.ts';
import { inWorld } from './judge-world.ts';
import { readAttempts } from './ledger-view.ts';
import type { ChaosOptions } from './options.ts';
import { sortIntoWindows, submitsInFlight } from './windows.ts';

/** The batch goes on within this after Temporal is back, ms. */
const BACK_MS = 120_000;
/** The batch is paced to last so long before Temporal goes and after it is back, s. */
const BEFORE_S = 30;
const AFTER_S = 90;

/**
 * Temporal goes away for minutes in mid-batch: every link to it is cut. Lanes need it only to begin, so they must go on as long as their
 * slices last (10 minutes). Afterwards the batch must go on by itself, and no more rows may be unknown than requests were on the wire
 * when it went.
 */
export async function temporalAway(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, rows, awayMinutes } = options;
  const charges = 1.25 * rows;
  const seconds = BEFORE_S + 60 * awayMinutes + AFTER_S;
  const rate = ['--rate', (charges / seconds).toFixed(2)];
  const batches = [{ name: 'mixed', rows, kinds: ['tts', 'stt', 'lip-sync', 'dub'], flags: rate }];
  const minutes = options.minutes + awayMinutes;
  return inWorld({ ...options, minutes, say, batches, simulator: { seed, createMs: [100, 1_000] } }, async (world) => {
    const { judge, proxy, ledger } = world;
    await waitFor(() => judge.charged >= (charges * BEFORE_S) / seconds, 300_000);
    const from = Date.now();
    const heals = await Promise.all(
      (['worker-1', 'worker-2', 'cli'] as const).map((link) => proxy.spoil(link, { type: 'down' })),
    );
    const counts = sortIntoWindows(await readAttempts(ledger, 'open'), await judge.ledger());
    const inFlight = submitsInFlight(counts);
    say(`Temporal is away at ${judge.charged} charges, ${inFlight} requests on the wire`);
    const before = judge.charged;
    await sleep(awayMinutes * 60_000);
    const charged = judge.charged;
    const backAt = performance.now();
    await Promise.all(heals.map((heal) => heal()));
    const goesOn = await waitFor(() => judge.charged > charged, BACK_MS).then(
      () => true,
      () => false,
    );
    const after = ((performance.now() - backAt) / 1_000).toFixed(1);
    say(`Temporal is back; ${goesOn ? `the next charge came after ${after} s` : 'nothing is charged'}`);
    const withoutIt: Finding = {
      promise: 'lanes go on without Temporal',
      broken: charged > before ? [] : ['nothing was charged'],
      seen: `${charged - before} charges`,
    };
    const goingOn: Finding = {
      promise: `the batch goes on by itself after ${awayMinutes} minutes without Temporal`,
      broken: goesOn ? [] : [`no charge within ${BACK_MS / 1_000} s`],
      seen: `next charge ${after} s after it is back`,
    };
    return {
      doubts: [{ event: 1, from, until: from + 1_000, inFlight }],
      mostDoubtful: 0,
      findings: [withoutIt, goingOn],
    };
  });
}
