import { setTimeout as sleep } from 'node:timers/promises';
import { checkEnds, checkWorld, runCli } from './check-world.ts';
import type { Finding } from './finding.ts';
import type { Doubt } from './perform.ts';
import { World, type WorldOptions } from './world.ts';

/** Workers end within this after SIGTERM, ms. */
const WORKER_END_MS = 45_000;

/** What of a run the checks must know. */
export interface Course {
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
 * Runs a scenario in a world of its own: starts everything, lets the scenario work, heals, waits for the batches to end by themselves,
 * ends the rest, and checks every promise. The folder is kept if one is broken.
 */
export async function inWorld(
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
    if (!isWhole || options.keep) say(`The folder is kept: ${world.folder}`);
    await world.close(!isWhole || options.keep);
  }
}

async function judge(world: World, course: Course, took: string): Promise<Finding[]> {
  const { options, folder, ledger, workers, temporal } = world;
  const batches = options.batches.map(({ name }) => name);
  const codes = await Promise.all(workers.map((worker) => worker.end(WORKER_END_MS)));
  await temporal.kill();
  const complete = world.isComplete;
  if (!complete) {
    // What stands still has files all the same, so that the other promises can be checked.
    await Promise.all([...world.runs.values()].map((run) => run.close()));
    const env = { VOXBATCH_LEDGER: ledger, VOXBATCH_STORE: world.path('store') };
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
    ...(await checkWorld({ ...options, ...course, folder, ledger, batches, judge: world.judge, token: world.token })),
  ];
}
