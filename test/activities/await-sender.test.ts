import { describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '../support/wait-for.ts';
import { keyOf, tts } from './rows.ts';
import { begin, type World, type Hold } from './world.ts';

/** A worker with a request on the wire, which it cannot record the answer of until it is let go. */
async function sender(
  world: World,
): Promise<{ readonly owner: string; readonly held: Hold; readonly report: Promise<unknown> }> {
  const held = world.holdAt('after-answer');
  const worker = await world.worker({ atFaultPoint: held.atFaultPoint });
  const report = worker.submit(keyOf(1));
  await held.reached;
  return { owner: worker.deps.owner, held, report };
}

describe('a request on the wire of a worker that lost its lane', () => {
  it('is waited for while that worker lives, and its answer is what the row goes on with', async () => {
    const { world } = await begin([tts()], { wanted: { onUnknown: 'resubmit' } });
    const { owner, held, report } = await sender(world);
    const other = await world.worker();
    const { realm, ledger } = other.deps;
    await ledger.beat({ owner, apiUrl: realm.apiUrl, account: realm.account });
    const reconciling = other.reconcile(keyOf(1));
    let isOver = false;
    void reconciling.then(() => (isOver = true));
    const looks = world.charges().length;
    await other.deps.ledger.readRow('b', 1);
    expect([isOver, looks]).toEqual([false, 1]);
    held.release();
    await report;
    expect(await reconciling).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(world.charges()).toHaveLength(1);
  });

  it('is waited for, too, if that worker is silent because the ledger was away, and reports a moment after others are back', async () => {
    const { world } = await begin([tts()], { wanted: { onUnknown: 'resubmit' } });
    const { owner, held, report } = await sender(world);
    const other = await world.worker();
    const { realm, ledger } = other.deps;
    const standings = jest.spyOn(ledger, 'workerLiveness');
    standings.mockResolvedValueOnce('silent').mockResolvedValueOnce('silent');
    await ledger.beat({ owner, apiUrl: realm.apiUrl, account: realm.account });
    const reconciling = other.reconcile(keyOf(1));
    await waitFor(() => standings.mock.calls.length > 2);
    held.release();
    await report;
    expect(await reconciling).toMatchObject({ verdict: 'accepted', next: { type: 'wait' } });
    expect(world.charges()).toHaveLength(1);
  });

  it('is in doubt once that worker stays silent', async () => {
    const { world } = await begin([tts()]);
    await sender(world);
    const other = await world.worker();
    jest.spyOn(other.deps.ledger, 'workerLiveness').mockResolvedValue('silent');
    expect(await other.reconcile(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
  });

  it('is in doubt once that worker is known to be dead', async () => {
    const { world } = await begin([tts()]);
    const { owner } = await sender(world);
    const other = await world.worker();
    const { realm, ledger } = other.deps;
    await ledger.beat({ owner, apiUrl: realm.apiUrl, account: realm.account });
    const reconciling = other.reconcile(keyOf(1));
    await ledger.forgetWorkers('all');
    expect(await reconciling).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    await waitFor(async () => (await world.row()).outcome === 'unknown');
  });
});
