import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { killsOf, planEvents, tellEvent, type ChaosEvent } from './event-plan.ts';
import { drawFaults } from './fault-plan.ts';
import type { Finding } from './finding.ts';
import { inWorld } from './judge-world.ts';
import type { ChaosOptions } from './options.ts';
import { Performer } from './perform.ts';
import type { ChaosBatch, World } from './world.ts';

/** The next event comes even so if nothing was charged for this long, ms: longer than a request may take. */
const STILL_MS = 240_000;
/** What an event takes on average of the plan's time, in s; several are under way at once. */
const EVENT_S = 3.5;
/** Paid requests per row of a batch of all kinds in turn: a dub makes two. */
const CHARGES_PER_ROW = 1.25;

/**
 * The storm: a batch of all kinds and one of synchronous speech, on two workers, while events from a seed kill, stop and cut what
 * they rest on, and the API lies. Then everything is healed, and the batches must end by themselves.
 */
export async function storm(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, rows, kills } = options;
  const events = planEvents(seed, kills, 2);
  say(`${events.length} events, ${events.reduce((sum, { deed }) => sum + killsOf(deed), 0)} kills`);
  for (const event of events) say(`  ${tellEvent(event)}`);
  const { plan, mostDoubtful } = drawFaults(seed, rows);
  const { batches, charges } = batchesOf(rows, events.length);
  const simulator: SimulatorOptions = { seed, plan, createMs: [100, 1_500], jobMs: [400, 4_000], linkLifeMs: 8_000 };
  return inWorld({ ...options, say, batches, simulator }, async (world) => {
    const performer = new Performer(world, say);
    await unleash(world, performer, events, { charges, until: performance.now() + options.minutes * 60_000 });
    say(`all events are over; ${world.judge.charged} charges`);
    say(`${performer.kills} processes killed. Windows that events hit (of the struck process, or of all):`);
    for (const line of performer.windows.lines()) say(`  ${line}`);
    return {
      doubts: performer.doubts,
      mostDoubtful,
      findings: [performer.checkKills(kills), performer.checkWire(options.submits)],
    };
  });
}

/** Two batches, slow enough for the events to find them at work, and how many paid requests they make. */
function batchesOf(rows: number, events: number): { readonly batches: ChaosBatch[]; readonly charges: number } {
  const sync = Math.floor(rows * 0.2);
  const mixed = rows - sync;
  const charges = mixed * CHARGES_PER_ROW + sync;
  const rate = Math.max(2, charges / (events * EVENT_S));
  const flags = (made: number): string[] => ['--rate', ((rate * made) / charges).toFixed(2)];
  return {
    charges,
    batches: [
      { name: 'mixed', rows: mixed, kinds: ['tts', 'stt', 'lip-sync', 'dub'], flags: flags(mixed * CHARGES_PER_ROW) },
      { name: 'sync', rows: sync, kinds: ['tts'], flags: ['--tts', 'sync', ...flags(sync)] },
    ],
  };
}

/** Lets the events come, each when its share of charges was made, and none after `until`; resolves when all are over. */
async function unleash(
  world: World,
  performer: Performer,
  events: readonly ChaosEvent[],
  { charges, until }: { readonly charges: number; readonly until: number },
): Promise<void> {
  const running: Promise<void>[] = [];
  for (const event of events) {
    await sleep(event.pauseMs);
    let [seen, movedAt] = [world.judge.charged, performance.now()];
    const isDue = (): boolean =>
      seen >= event.after * charges || performance.now() > Math.min(until, movedAt + STILL_MS);
    while (!isDue() && !world.isComplete) {
      await sleep(100);
      if (world.judge.charged !== seen) [seen, movedAt] = [world.judge.charged, performance.now()];
    }
    if (world.isComplete || performance.now() > until) break;
    running.push(performer.perform(event));
  }
  await Promise.all(running);
}
