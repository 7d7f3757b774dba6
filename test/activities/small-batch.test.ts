/** @slow */
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../support/wait-for.ts';
import { BATCH, texts, type Wanted } from './rows.ts';
import { begin } from './world.ts';

/** A kill in a batch of 12 rows of immediate speech, whose lost answers nobody can look up. */

/** How many of 12 rows are unknown at the end if a worker is killed while as many requests as it may send are on the wire. */
async function unknownAfterKill(wanted: Wanted, inFlight: number): Promise<number> {
  const { world, worker: next } = await begin(texts(12), { wanted: { tts: 'sync', ...wanted } });
  await world.stopAt('after-intent', (killed) => killed.work());
  await waitFor(async () => (await world.ledger.sending(BATCH)).length === inFlight);
  expect(await next.work()).toEqual({ then: 'idle' });
  // For all that the next one knows, the others were charged, too.
  expect(world.charges()).toHaveLength(12 - inFlight);
  return (await world.ledger.counts(BATCH)).outcomes.unknown;
}

describe('a kill in a batch of 12 rows', () => {
  it('leaves a quarter of them unknown at most, if nobody has said how many may be', async () => {
    expect(await unknownAfterKill({ submitsByRows: true }, 3)).toBe(3);
  });

  it('leaves as many as were asked for', async () => {
    expect(await unknownAfterKill({ limits: { submits: 8 } }, 8)).toBe(8);
  });
});
