import { beforeEach, describe, expect, it } from '@jest/globals';
import { RedriveDraft } from '../../../batches/redrive/draft.ts';
import { chosenRows, type FoundRow } from '../../../batches/redrive/selection.ts';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import { quoteRow } from '../../../policy/money/pricing.ts';
import { RowNumbers } from '../../../batches/rows/find-rows.ts';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { freshPlace } from '../../support/place.ts';

const RULES = { step: null, resubmit: false, replace: false, accept: false, asksForOverdue: false };

const place = freshPlace();
beforeEach(() => addSampleBatch(place));

async function draftOf(outcomes: readonly ['failed'] | readonly ['cancelled']) {
  const batch = await place.batch();
  const draft = new RedriveDraft(batch.settings, RULES, null);
  const rows = chosenRows(place.ledger, 'demo', { outcomes });
  await draft.addAll(rows);
  return { draft, rows };
}

async function all(rows: AsyncIterable<FoundRow>): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

describe('a redrive that is put together', () => {
  it('does with each row what it told, when the row is read again', async () => {
    const { draft, rows } = await draftOf(['failed']);
    expect(draft.count).toBe(1);
    const again = await all(rows);
    expect(again.map((row) => draft.choiceOf(row))).toMatchObject([
      { outcome: 'failed', take: 1, how: { type: 'pay', reason: 'redrive' } },
    ]);
  });

  it('counts the edited rows that it leaves as they are', async () => {
    const batch = await place.batch();
    const draft = new RedriveDraft(batch.settings, RULES, null);
    for (const outcome of ['succeeded', 'failed'] as const) {
      for (const { scanned } of await all(chosenRows(place.ledger, 'demo', { outcomes: [outcome] }))) {
        const { spec, input, quoted } = scanned.row;
        draft.add({ scanned, edit: { spec, input, quoted, from: null } });
      }
    }
    expect(draft).toMatchObject({ count: 1, left: { 'has-result': 3 }, leftEdited: 3 });
  });

  it('prices a check by the text, before there is anything to listen to', async () => {
    const batch = await place.batch();
    const draft = new RedriveDraft(batch.settings, RULES, null);
    const [row] = await all(chosenRows(place.ledger, 'demo', { outcomes: ['failed'] }));
    if (row === undefined) throw new Error('The batch has a row that failed.');
    const spec = { kind: 'tts', text: 'Good morning.', voice: 'v', verify: 0.25, extra: {} } as const;
    draft.add({ ...row, scanned: { ...row.scanned, row: { ...row.scanned.row, spec } } });
    expect(draft.bill.unpriced).toBe(0);
    expect(draft.bill.quoted).toBe(quoteRow('tts', spec, 'job', BUILT_IN_PRICES));
  });

  it('names the rows whose results it replaces, and says which of them a file asks for otherwise', async () => {
    const batch = await place.batch();
    const draft = new RedriveDraft(batch.settings, { ...RULES, replace: true }, null);
    const [one, other] = await all(chosenRows(place.ledger, 'demo', { outcomes: ['succeeded'] }));
    if (one === undefined || other === undefined) throw new Error('The batch has two good rows.');
    const { spec, input, quoted } = other.scanned.row;
    draft.add(one);
    draft.add({ scanned: other.scanned, edit: { spec, input, quoted, from: 'speech' } });
    expect(draft.replaced).toBe(2);
    expect(draft.firstReplaced).toEqual([
      { row: one.scanned.row.row, id: one.scanned.row.id, isEdited: false },
      { row: other.scanned.row.row, id: other.scanned.row.id, isEdited: true },
    ]);
  });

  it('does nothing with a row that it was not told of, or that has moved on since', async () => {
    const { draft, rows } = await draftOf(['failed']);
    const [found] = await all(rows);
    const other = await all(chosenRows(place.ledger, 'demo', { outcomes: ['cancelled'] }));
    expect(other.map((row) => draft.choiceOf(row))).toEqual([undefined]);
    const row = found?.scanned.row.row ?? 0;
    const step = found?.scanned.charges.at(-1)?.step ?? 'speech';
    await redriveNow(place.ledger, 'demo', [{ row, take: 1, how: { type: 'pay', fromStep: step, reason: 'redrive' } }]);
    await place.ledger.giveUp(
      { batch: 'demo', row, step, take: 2, attempt: 1 },
      { outcome: 'failed', failure: { class: 'JobFailed', message: 'again' } },
    );
    expect((await all(rows)).map((later) => draft.choiceOf(later))).toEqual([undefined]);
  });
});

it('numbers of rows are kept for any row', () => {
  const numbers = new RowNumbers();
  numbers.set(1, 7);
  numbers.set(1_000_000, 8);
  expect([1, 2, 1_000_000, 2_000_000].map((row) => numbers.get(row))).toEqual([7, undefined, 8, undefined]);
});
