import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aBatch, aKey, aRow, fill, INTENT, ledgerForEachTest } from '../setup.ts';

const { apiUrl, account } = aBatch();

const OPEN = { outcome: null, key: null, isUncached: false };

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

describe('the last row of an id', () => {
  beforeEach(() => fill(ledger, 3, 'first'));

  it('is of the batch that had it last, as it is now; ids that were never there are left out', async () => {
    await fill(ledger, 2, 'second');
    const found = await ledger.lastRows({ apiUrl, account }, ['r1', 'r3', 'r9']);
    expect(found).toEqual([
      { id: 'r1', batch: 'second', row: 1, spec: aRow(1).spec, tts: 'job', ...OPEN },
      { id: 'r3', batch: 'first', row: 3, spec: aRow(3).spec, tts: 'job', ...OPEN },
    ]);
  });

  it.each([
    ['off', true],
    ['on', false],
  ] as const)('under --cache %s has a result that no other row may use: %s', async (cache, isUncached) => {
    const { settings } = aBatch();
    await ledger.createBatch({ ...aBatch(), settings: { ...settings, cache } });
    await ledger.addRows('b', [aRow(1), aRow(2)]);
    await ledger.openBatch('b', 2);
    await ledger.intend(aKey(1), INTENT);
    const file = { key: 'b/1.mp3', bytes: 9, sha256: 'f'.repeat(64), extension: 'mp3' };
    await ledger.settle(aKey(1), { verdict: 'done', file }, { outcome: 'succeeded', file });
    await ledger.giveUp(aKey(2), { outcome: 'cancelled' });
    const found = await ledger.lastRows({ apiUrl, account }, ['r1', 'r2']);
    expect(found.map((one) => one.isUncached)).toEqual([isUncached, false]);
  });

  it('is of this account, was meant to be sent, and is loaded whole', async () => {
    await ledger.createBatch({ ...aBatch('other'), account: 'u2' });
    await ledger.addRows('other', [aRow(1)]);
    await ledger.openBatch('other', 1);
    await ledger.createBatch({ ...aBatch('limited'), subset: { type: 'limit', rows: 1 } });
    await ledger.addRows('limited', [aRow(1), { ...aRow(2), isNotChosen: true }]);
    await ledger.openBatch('limited', 2);
    await ledger.createBatch(aBatch('loading'));
    await ledger.addRows('loading', [aRow(1), aRow(2)]);
    const found = await ledger.lastRows({ apiUrl, account }, ['r1', 'r2']);
    expect(found.map(({ batch }) => batch)).toEqual(['limited', 'first']);
  });
});
