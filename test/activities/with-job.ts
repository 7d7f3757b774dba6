import type { FaultPlan, SimulatorOptions } from '../../simulator/start-simulator.ts';
import { keyOf, tts } from './rows.ts';
import { fastClock } from './worker.ts';
import { createWorld, type World } from './world.ts';

export type Rule = NonNullable<FaultPlan['rules']>[number];

/** A tts row whose job was accepted, and a worker for whom minutes pass in a second. */
export async function withJob(
  rule: Rule,
  options: SimulatorOptions = {},
  jobDeadlineMs = 3_600_000,
): Promise<{ world: World; worker: Awaited<ReturnType<World['worker']>> }> {
  const world = await createWorld({ ...options, plan: { rules: [rule] } });
  await world.fill([tts()], { jobDeadlineMs });
  // Sent by another one: where minutes pass in a second, a request is late at once.
  await (await world.worker()).submit(keyOf(1));
  return { world, worker: await world.worker({ clock: fastClock(60) }) };
}

/** Status reads of speech jobs so far. */
export async function reads(world: World): Promise<number> {
  const { endpoints } = await world.statistics();
  return Object.values(endpoints['GET /speech/tts/jobs/:id'] ?? {}).reduce((sum, count) => sum + count, 0);
}
