/** @slow */
import { describe, expect, it } from '@jest/globals';
import { runLane } from '../../activities/lane/run-lane.ts';
import type { LaneReport } from '../../contract/activities.ts';
import { BATCH, tts, type Wanted } from './rows.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Worker } from './worker.ts';
import { createWorld } from './world.ts';

/** A kill in a batch of 12 rows of immediate speech, whose lost answers nobody can look up. */

const never = new AbortController().signal;
function lane(worker: Worker): Promise<LaneReport> {
  return runLane(worker.deps, { batch: BATCH, lane: 1, lanes: 1, run: 'run' }, never, () => undefined);
}

/** How many of 12 rows are unknown at the end if a worker is killed while as many requests as it may send are on the wire. */
async function unknownAfterKill(wanted: Wanted, inFlight: number): Promise<number> {
  const world = await createWorld();
  const texts = Array.from({ length: 12 }, (_, index) => tts(`Row ${String(index)}.`));
  await world.fill(texts, { tts: 'sync', ...wanted });
  const killed = await world.worker({ atFaultPoint: world.holdAt('after-intent').atFaultPoint });
  lane(killed).catch(() => undefined);
  await waitFor(async () => (await killed.deps.ledger.sending(BATCH)).length === inFlight);
  const next = await world.worker();
  expect(await lane(next)).toEqual({ then: 'idle' });
  // For all that the next one knows, the others were charged, too.
  expect(world.charges()).toHaveLength(12 - inFlight);
  return (await next.deps.ledger.counts(BATCH)).outcomes.unknown;
}

describe('a kill in a batch of 12 rows', () => {
  it('leaves a quarter of them unknown at most, if nobody has said how many may be', async () => {
    expect(await unknownAfterKill({ submitsByRows: true }, 3)).toBe(3);
  });

  it('leaves as many as were asked for', async () => {
    expect(await unknownAfterKill({ limits: { submits: 8 } }, 8)).toBe(8);
  });
});
