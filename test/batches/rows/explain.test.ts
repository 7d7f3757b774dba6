import { describe, expect, it } from '@jest/globals';
import { explainRow, type RowHistory } from '../../../batches/rows/explain.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { addBatch, addSampleBatch, finish, keyOf } from '../../results/sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();

async function historyOf(wanted: string): Promise<RowHistory> {
  const batch = await place.batch();
  const found = await explainRow(place.ledger, batch, wanted);
  if (found.type !== 'found') throw new Error(`no row ${wanted}`);
  return found.history;
}

async function pay(row: number, take: number, how: Partial<RedriveChoice['how']>): Promise<void> {
  const whole = { type: 'pay', fromStep: 'speech', reason: 'redrive', ...how } as RedriveChoice['how'];
  await redriveNow(place.ledger, 'demo', [{ row, take, how: whole }]);
}

describe('the history of a row', () => {
  it('has its requests, its files, and the sums of its batch', async () => {
    await addSampleBatch(place);
    const history = await historyOf('a');
    expect(history).toMatchObject({
      row: { id: 'a', outcome: 'succeeded', state: null },
      takes: [],
      unresolvedTakes: [],
      decisions: [],
    });
    expect(history.files.map(({ name }) => name)).toEqual(['media/a.mp3']);
    expect(history.charges).toHaveLength(1);
    expect(history.money).toEqual(await place.ledger.money('demo'));
    expect((await historyOf('#1')).row).toEqual(history.row);
  });

  it('says of each later take which steps it kept and which cells it changed', async () => {
    await addSampleBatch(place);
    await pay(3, 1, { fromStep: 'lip-sync' });
    expect((await historyOf('c')).takes).toMatchObject([{ take: 2, kept: ['speech'], changes: [] }]);
    const input = ['d', 'tts', 'good voice', ''];
    await pay(4, 1, { reason: 'edited', edited: { spec: { kind: 'tts', extra: {} }, input, quoted: 5 } });
    expect((await historyOf('d')).takes).toMatchObject([
      { take: 2, kept: [], changes: [{ column: 'text', from: 'bad voice', to: 'good voice' }] },
    ]);
  });

  it('names earlier takes that may have been charged, and not the present one', async () => {
    await addSampleBatch(place);
    expect((await historyOf('e')).unresolvedTakes).toEqual([]);
    await pay(5, 1, { reason: 'resubmitted' });
    expect((await historyOf('e')).unresolvedTakes).toMatchObject([{ id: 'e', take: 1 }]);
  });

  it('names no file where none can be named', async () => {
    await addBatch(place, ['id', 'kind'], [{ id: '../up', kind: 'tts', input: ['../up', 'tts'] }]);
    await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound'));
    expect((await historyOf('1')).files).toEqual([]);
  });

  it('is not told of a row that is not there', async () => {
    await addSampleBatch(place);
    const batch = await place.batch();
    for (const wanted of ['zz', '8', '0']) {
      expect(await explainRow(place.ledger, batch, wanted)).toEqual({ type: 'no-row' });
    }
  });
});
