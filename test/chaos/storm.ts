import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { killsOf, planEvents, tellEvent, type ChaosEvent } from './event-plan.ts';
import { drawFaults, type DrawnFaults } from './fault-plan.ts';
import type { Finding } from './finding.ts';
import type { ChaosOptions } from './options.ts';
import { Performer, type Doubt } from './perform.ts';
import { type ChaosBatch, World, type WorldOptions } from './world.ts';
import { checkEnds, checkWorld, runCli } from './check-world.ts';

/** Workers end within this after SIGTERM, ms. */
const WORKER_END_MS = 45_000;

/** What of a run the checks must know. */
interface Course {
  /** Times in which requests could lose their answer. */
  readonly doubts: readonly Doubt[];
  /** Requests that the API's lies can leave in doubt. */
  readonly mostDoubtful: number;
  /** What the scenario found by itself. */
  readonly findings: readonly Finding[];
  /** What the scenario finds when the batches have ended. */
  readonly look?: () => Promise<readonly Finding[]>;
}

/**
 * Runs a scenario in a world of its own: starts everything, lets the scenario work, heals, waits for the batches to end
 * by themselves, ends the rest, and checks every promise. The folder is kept if one is broken.
 */
async function inWorld(
  options: WorldOptions & { readonly minutes: number; readonly keep: boolean },
  scenario: (world: World) => Promise<Course>,
): Promise<Finding[]> {
  const { say, minutes } = options;
  const world = await World.create(options);
  const begun = performance.now();
  let isWhole = false;
  try {
    world.begin();
    const course = await scenario(world);
    await world.proxy.heal();
    while (!world.isComplete && performance.now() - begun < minutes * 60_000) await sleep(200);
    const took = `${((performance.now() - begun) / 1000).toFixed(0)} s, ${world.judge.charged} charges`;
    const looked = (await course.look?.()) ?? [];
    const findings = [...course.findings, ...looked, ...(await judge(world, course, took))];
    isWhole = findings.every(({ broken }) => broken.length === 0);
    return findings;
  } finally {
    if (!isWhole || options.keep) say(`Kept: ${world.folders.join(', ')}`);
    await world.close(!isWhole || options.keep);
  }
}

async function judge(world: World, course: Course, took: string): Promise<Finding[]> {
  const { options, folder, folders, ledger, store, workers, temporal, token } = world;
  const batches = options.batches.map(({ name }) => name);
  const codes = await Promise.all(workers.map((worker) => worker.end(WORKER_END_MS)));
  await temporal.kill();
  const complete = world.isComplete;
  if (!complete) {
    // What stands still has files all the same, so that the other promises can be checked.
    await Promise.all([...world.runs.values()].map((run) => run.close()));
    const env = { VOXBATCH_LEDGER: ledger.address, ...store.env };
    for (const name of batches) await runCli(options.dist, ['results', name], folder, env);
  }
  const ends = world.members.flatMap(({ name, ends: all }) => all.map((end) => ({ name, ...end })));
  const seen = [...world.runs].map(([name, { finalCode }]) => `${name}: exit ${String(finalCode)}`).join(', ');
  return [
    {
      promise: 'the batches end by themselves',
      broken: complete ? [] : [`not complete after ${took}`],
      seen: `${took}, ${seen}`,
    },
    {
      promise: 'workers end in order on SIGTERM',
      broken: codes.flatMap((code, at) => (code === 0 ? [] : [`worker-${at + 1}: exit ${String(code)}`])),
    },
    checkEnds(ends),
    ...(await checkWorld({
      ...options,
      ...course,
      folder,
      folders,
      ledger: ledger.address,
      batches,
      judge: world.judge,
      token,
    })),
  ];
}

/** The next event comes even so if nothing was charged for this long, ms: longer than a request may take. */
const SUSPENDED_MS = 240_000;
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
 * Batches on two workers, while events from a seed kill, stop and cut what they rest on, and the API lies. Then
 * everything is healed, and the batches must end by themselves.
 */
export async function stormOver(
  { batches, faults, look, eventSeconds = EVENT_S }: StormLoad,
  options: ChaosOptions,
  say: (line: string) => void,
): Promise<Finding[]> {
  const { seed, kills, minutes, submits, ledger, store, only } = options;
  const { plan, mostDoubtful } = faults;
  const events = planEvents(seed, kills, { batches: batches.length, ledger, store, only });
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
    say(
      `${performer.kills} processes killed, ${performer.cuts} connections cut at commits. Windows that events hit (of the struck process, or of all):`,
    );
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

/**
 * Lets the events come, each when its share of charges was made, and none after `until`; resolves when all are over.
 */
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
      seen >= event.after * charges || performance.now() > Math.min(until, movedAt + SUSPENDED_MS);
    while (!isDue() && !world.isComplete) {
      await sleep(100);
      if (world.judge.charged !== seen) [seen, movedAt] = [world.judge.charged, performance.now()];
    }
    if (world.isComplete || performance.now() > until) break;
    running.push(performer.perform(event));
  }
  await Promise.all(running);
}
