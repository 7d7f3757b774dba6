import { describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '../support/wait-for.ts';
import { keyOf, tts, type Wanted } from './rows.ts';
import { begin } from './world.ts';

/** Another worker, beside one with a request on the wire, which cannot record its answer until it is let go, but says that it lives. */
async function besideSender(wanted: Wanted = {}) {
  const { world } = await begin([tts()], { wanted });
  const { worker, ended, release } = await world.stopAt('after-answer');
  const other = await world.worker();
  const { realm, ledger } = other.deps;
  const letGo = async (): Promise<void> => {
    release();
    await ended;
  };
  const beat = (): Promise<unknown> => ledger.beat({ owner: worker.deps.owner, ...realm });
  return { world, other, ledger, beat, letGo };
}

describe('a request on the wire of a worker that lost its lane', () => {
  it('is waited for while that worker lives, and its answer is what the row goes on with', async () => {
    const { world, other, ledger, beat, letGo } = await besideSender({ onUnknown: 'resubmit' });
    await beat();
    const reconciling = other.reconcile(keyOf(1));
    let isOver = false;
    void reconciling.then(() => (isOver = true));
    const looks = world.charges().length;
    await ledger.readRow('b', 1);
    expect([isOver, looks]).toEqual([false, 1]);
    await letGo();
    expect(await reconciling).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(world.charges()).toHaveLength(1);
  });

  it('is waited for, too, if that worker is silent because the ledger was away, and reports a moment after others are back', async () => {
    const { world, other, ledger, beat, letGo } = await besideSender({ onUnknown: 'resubmit' });
    const standings = jest.spyOn(ledger, 'workerLiveness');
    standings.mockResolvedValueOnce('silent').mockResolvedValueOnce('silent');
    await beat();
    const reconciling = other.reconcile(keyOf(1));
    await waitFor(() => standings.mock.calls.length > 2);
    await letGo();
    expect(await reconciling).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(world.charges()).toHaveLength(1);
  });

  it('is in doubt once that worker stays silent', async () => {
    const { other, ledger } = await besideSender();
    jest.spyOn(ledger, 'workerLiveness').mockResolvedValue('silent');
    expect(await other.reconcile(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
  });

  it('is in doubt once that worker is known to be dead', async () => {
    const { world, other, ledger, beat } = await besideSender();
    await beat();
    const reconciling = other.reconcile(keyOf(1));
    await ledger.forgetWorkers('all');
    expect(await reconciling).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    await waitFor(async () => (await world.row()).outcome === 'unknown');
  });
});
