import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { killsOf, planEvents, tellEvent, type ChaosEvent } from './event-plan.ts';
import { drawFaults, type DrawnFaults } from './fault-plan.ts';
import type { Finding } from './finding.ts';
import { inWorld } from './judge-world.ts';
import type { ChaosOptions } from './options.ts';
import { Performer } from './perform.ts';
import type { ChaosBatch, World } from './world.ts';

/** The next event comes even so if nothing was charged for this long, ms: longer than a request may take. */
const STILL_MS = 240_000;
/** What an event usually takes on average of the plan's time, in s; several are under way at once. */
const EVENT_S = 3.5;
/** Paid requests per row of a batch of all kinds in turn: a dub makes two. */
const CHARGES_PER_ROW = 1.25;

/** A batch of a storm. */
export interface StormBatch extends ChaosBatch {
  /** Paid requests that it makes if all goes well. */
  readonly charges: number;
}

/** What a storm meets. */
export interface StormLoad {
  readonly batches: readonly StormBatch[];
  readonly faults: DrawnFaults;
  /** Time that the batches leave to each event, in s. Default 3.5. */
  readonly eventSeconds?: number;
  /** What else to find out when all events are over, of the batches that then end by themselves. */
  readonly look?: (world: World) => Promise<readonly Finding[]>;
}

/** The storm: a batch of all kinds and one of synchronous speech, while the API lies now and then. */
export function storm(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { seed, rows } = options;
  const sync = Math.floor(rows * 0.2);
  const mixed = rows - sync;
  const kinds = ['tts', 'stt', 'lip-sync', 'dub'];
  const batches = [
    { name: 'mixed', rows: mixed, kinds, flags: [], charges: mixed * CHARGES_PER_ROW },
    { name: 'sync', rows: sync, kinds: ['tts'], flags: ['--tts', 'sync'], charges: sync },
  ];
  return stormOver({ batches, faults: drawFaults(seed, rows) }, options, say);
}

/**
 * Batches on two workers, while events from a seed kill, stop and cut what they rest on, and the API lies. Then everything is
 * healed, and the batches must end by themselves.
 */
export async function stormOver(
  { batches, faults, look, eventSeconds = EVENT_S }: StormLoad,
  options: ChaosOptions,
  say: (line: string) => void,
): Promise<Finding[]> {
  const { seed, kills, minutes, submits } = options;
  const { plan, mostDoubtful } = faults;
  const events = planEvents(seed, kills, batches.length);
  say(`${events.length} events, ${events.reduce((sum, { deed }) => sum + killsOf(deed), 0)} kills`);
  for (const event of events) say(`  ${tellEvent(event)}`);
  const charges = batches.reduce((sum, batch) => sum + batch.charges, 0);
  const timing: SimulatorOptions = { createMs: [100, 1_500], jobMs: [400, 4_000], linkLifeMs: 8_000 };
  const simulator: SimulatorOptions = { seed, plan, ...timing, credits: 100_000_000 };
  const world = { ...options, say, batches: paced(batches, charges, events.length * eventSeconds), simulator };
  return inWorld(world, async (theWorld) => {
    const performer = new Performer(theWorld, say);
    await unleash(theWorld, performer, events, { charges, until: performance.now() + minutes * 60_000 });
    say(`all events are over; ${theWorld.judge.charged} charges`);
    say(`${performer.kills} processes killed. Windows that events hit (of the struck process, or of all):`);
    for (const line of performer.windows.lines()) say(`  ${line}`);
    return {
      doubts: performer.doubts,
      mostDoubtful,
      findings: [performer.checkKills(kills), performer.checkWire(submits)],
      ...(look === undefined ? {} : { look: () => look(theWorld) }),
    };
  });
}

/** The batches, slow enough for the events to find them at work. */
function paced(batches: readonly StormBatch[], charges: number, seconds: number): ChaosBatch[] {
  const rate = Math.max(2, charges / seconds);
  return batches.map(({ charges: made, ...batch }) => ({
    ...batch,
    flags: [...batch.flags, '--rate', ((rate * made) / charges).toFixed(2)],
  }));
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
