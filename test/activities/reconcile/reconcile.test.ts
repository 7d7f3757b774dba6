/** @slow */
import { describe, expect, it } from '@jest/globals';
import { INTENT, keyOf, tts, lipSync } from '../rows.ts';
import { begin } from '../world.ts';

describe('reconcile', () => {
  it('goes by what forbids the attempt that it is asked about', async () => {
    const { world, worker } = await begin([tts()]);
    await worker.deps.ledger.intend(keyOf(1), INTENT);
    // Nobody may make a second attempt while the first has no answer.
    expect(await worker.reconcile(keyOf(1, 2))).toEqual({
      verdict: 'unknown',
      next: { type: 'reconcile', at: { row: 1, step: 'speech', take: 1, attempt: 1 } },
    });
    expect(await world.attempts()).toEqual(['speech 1 sending']);
  });

  it('says of what the row is given up', async () => {
    const { world, worker } = await begin([tts()]);
    await worker.deps.ledger.intend(keyOf(1), INTENT);
    await worker.reconcile(keyOf(1));
    expect((await world.row()).charges).toMatchObject([{ state: 'unknown', failure: { class: 'OutcomeUnknown' } }]);
  });

  it('passes on what is no trouble of the API, and leaves the attempt open', async () => {
    const { world, worker } = await begin([lipSync()], {
      api: () => ({ listJobs: () => Promise.reject(new Error('a bug')) }),
    });
    const key = keyOf(1, 1, 'lip-sync');
    await worker.deps.ledger.intend(key, INTENT);
    await expect(worker.reconcile(key)).rejects.toThrow('a bug');
    expect(await world.attempts()).toEqual(['lip-sync 1 sending']);
  });
});
