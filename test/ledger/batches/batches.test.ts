import { describe, expect, it } from '@jest/globals';
import { batchOf, close } from '../readings.ts';
import { aBatch, aKey, aRow, fill, ledger, ledgerForEachTest, upTo } from '../setup.ts';

ledgerForEachTest();

describe('batches', () => {
  it('are made once, filled while they load, then opened, and only with all their rows', async () => {
    const loading = await ledger.createBatch(aBatch());
    await expect(ledger.createBatch(aBatch())).rejects.toThrow('a batch "b"');
    await ledger.addRows(loading, [aRow(1), aRow(2)]);
    await expect(ledger.openBatch(loading, 3)).rejects.toThrow('has 2 of 3 rows in the ledger');
    await ledger.addRows(loading, [aRow(3)]);
    expect(await batchOf()).toMatchObject({ ...aBatch(), state: 'loading', control: 'running', rows: 3 });
    for (let time = 1; time <= 2; time++) await ledger.openBatch(loading, 3);
    expect(await batchOf()).toMatchObject({ state: 'open', startedAt: null, closedAt: null });
    await expect(ledger.addRows(loading, [aRow(4)])).rejects.toThrow('is open');
    expect(await ledger.findBatch('x')).toBeUndefined();
    expect((await ledger.listBatches()).map(({ name }) => name)).toEqual(['b']);
  });

  it('take no id twice, and then none of the rows given with it', async () => {
    const loading = await ledger.createBatch(aBatch());
    await ledger.addRows(loading, [aRow(1)]);
    await expect(ledger.addRows(loading, [aRow(2), { ...aRow(3), id: 'r1' }])).rejects.toThrow('one id');
    expect((await batchOf()).rows).toBe(1);
    expect((await ledger.counts('b')).total).toBe(1);
  });

  it('are discarded only while they load', async () => {
    const loading = await ledger.createBatch(aBatch());
    await ledger.addRows(loading, [aRow(1)]);
    await ledger.discardLoading('b');
    expect(await ledger.findBatch('b')).toBeUndefined();
    expect(await ledger.readRow('b', 1)).toBeUndefined();
    await fill(ledger, 1);
    for (const name of ['b', 'x']) await ledger.discardLoading(name);
    expect(await ledger.findBatch('b')).toBeDefined();
  });

  it('are discarded some rows at a time, so that nobody waits for the lock until a large one is gone', async () => {
    const loading = await ledger.createBatch(aBatch());
    await ledger.addRows(
      loading,
      upTo(2_500).map((row) => aRow(row)),
    );
    const ended: string[] = [];
    await Promise.all([
      ledger.discardLoading('b').then(() => ended.push('discarded')),
      ledger.createBatch(aBatch('c')).then(() => ended.push('another write')),
    ]);
    expect(ended).toEqual(['another write', 'discarded']);
    expect(await ledger.counts('b')).toMatchObject({ total: 0 });
    expect(await ledger.findBatch('b')).toBeUndefined();
  });

  it('never take stopping back, and keep the reason of a pause until they run again', async () => {
    await fill(ledger, 1);
    const reason = { class: 'OutOfCredits', message: 'no credits' } as const;
    expect(await ledger.setControl('b', 'paused', reason)).toBe('paused');
    expect(await ledger.setControl('b', 'paused')).toBe('paused');
    expect((await batchOf()).pauseReason).toEqual(reason);
    expect(await ledger.setControl('b', 'running')).toBe('running');
    expect(await batchOf()).toMatchObject({ control: 'running', pauseReason: null });
    expect(await ledger.setControl('b', 'stopping')).toBe('stopping');
    expect(await ledger.setControl('b', 'running')).toBe('stopping');
  });

  it('close when no row is open, and then keep their control', async () => {
    await fill(ledger, 2);
    await ledger.giveUp(aKey(1), { outcome: 'failed' });
    expect(await ledger.closeBatch('b')).toBe(1);
    expect((await batchOf()).state).toBe('open');
    await ledger.giveUp(aKey(2), { outcome: 'succeeded' });
    await close();
    expect(await batchOf()).toMatchObject({ state: 'closed', closedAt: expect.any(Number) });
    expect(await ledger.setControl('b', 'paused')).toBe('running');
  });
});

it('updateLimiter keeps a state per scope, changed by one at a time', async () => {
  const add = async (scope: string): Promise<number> =>
    (await ledger.updateLimiter(scope, { type: 'learn', spans: [[100, 100]] })).jobs;
  const results = await Promise.all(upTo(20).map(() => add('a')));
  expect(results.sort((x, y) => x - y)).toEqual(upTo(20));
  expect(await add('b')).toBe(1);
});
