import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { FILE, upTo } from '../rows/rows-for-each.ts';
import { aBatch, aKey, aRow, fill, ledgerForEachTest } from '../setup.ts';

let ledger: Ledger;

ledgerForEachTest((made) => {
  ledger = made;
});

describe('batches', () => {
  it('are made once, filled while they load, then opened', async () => {
    await ledger.createBatch(aBatch());
    await expect(ledger.createBatch(aBatch())).rejects.toThrow('a batch "b"');
    await ledger.addRows('b', [aRow(1), aRow(2)]);
    await ledger.addRows('b', [aRow(3)]);
    expect(await ledger.findBatch('b')).toMatchObject({ ...aBatch(), state: 'loading', control: 'running', rows: 3 });
    await ledger.openBatch('b', 3);
    await ledger.openBatch('b', 3);
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open', startedAt: null, closedAt: null });
    await expect(ledger.addRows('b', [aRow(4)])).rejects.toThrow('is open');
    await expect(ledger.openBatch('x', 0)).rejects.toThrow('no batch "x"');
    expect(await ledger.findBatch('x')).toBeUndefined();
    expect((await ledger.listBatches()).map(({ name }) => name)).toEqual(['b']);
  });

  it('open only with all their rows', async () => {
    await ledger.createBatch(aBatch());
    await ledger.addRows('b', [aRow(1)]);
    await expect(ledger.openBatch('b', 2)).rejects.toThrow('has 1 of 2 rows in the ledger');
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'loading' });
  });

  it('take no id twice, and then none of the rows given with it', async () => {
    await ledger.createBatch(aBatch());
    await ledger.addRows('b', [aRow(1)]);
    await expect(ledger.addRows('b', [aRow(2), { ...aRow(3), id: 'r1' }])).rejects.toThrow('one id');
    expect(await ledger.findBatch('b')).toMatchObject({ rows: 1 });
    expect(await ledger.counts('b')).toMatchObject({ total: 1 });
  });

  it('are discarded only while they load', async () => {
    await ledger.createBatch(aBatch());
    await ledger.addRows('b', [aRow(1)]);
    await ledger.discardLoading('b');
    expect(await ledger.findBatch('b')).toBeUndefined();
    expect(await ledger.readRow('b', 1)).toBeUndefined();
    await fill(ledger, 1);
    await ledger.discardLoading('b');
    await ledger.discardLoading('x');
    expect(await ledger.findBatch('b')).toBeDefined();
  });

  it('are discarded some rows at a time, so that nobody waits for the lock until a large one is gone', async () => {
    await ledger.createBatch(aBatch());
    const rows = Array.from({ length: 2_500 }, (_, at) => aRow(at + 1));
    await ledger.addRows('b', rows);
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
    expect(await ledger.findBatch('b')).toMatchObject({ pauseReason: reason });
    expect(await ledger.setControl('b', 'running')).toBe('running');
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'running', pauseReason: null });
    expect(await ledger.setControl('b', 'stopping')).toBe('stopping');
    expect(await ledger.setControl('b', 'running')).toBe('stopping');
  });

  it('close when no row is open, and then keep their control', async () => {
    await fill(ledger, 2);
    await ledger.giveUp(aKey(1), { outcome: 'failed' });
    expect(await ledger.closeBatch('b')).toBe(1);
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open' });
    await ledger.giveUp(aKey(2), { outcome: 'succeeded', file: FILE });
    expect(await ledger.closeBatch('b')).toBe(0);
    const closed = await ledger.findBatch('b');
    expect(closed?.state).toBe('closed');
    expect(closed?.closedAt).not.toBeNull();
    expect(await ledger.setControl('b', 'paused')).toBe('running');
  });
});

describe('updateLimiter', () => {
  it('keeps a state per scope, changed by one at a time', async () => {
    const add = async (scope: string): Promise<number> =>
      (await ledger.updateLimiter(scope, { type: 'learn', spans: [[100, 100]] })).jobs;
    const results = await Promise.all(upTo(20).map(() => add('a')));
    expect(results.sort((x, y) => x - y)).toEqual(upTo(20));
    expect(await add('b')).toBe(1);
  });
});
