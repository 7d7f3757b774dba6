import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findEditedRows, type EditedRows } from '../../batches/edited-rows.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import { withManifest } from '../inputs/manifest-file.ts';
import { addBatch, openPlace, type Place } from '../results/sample-batch.ts';

const COLUMNS = ['id', 'text', 'voice'];
const ROWS = [
  { id: 'a', kind: 'tts', input: ['a', 'One.', 'narrator'] },
  { id: 'b', kind: 'tts', input: ['b', 'Two.', 'narrator'] },
] as const;

let place: Place;
beforeEach(async () => {
  place = await openPlace();
  await addBatch(place, COLUMNS, ROWS);
});
afterEach(() => place.close());

/** What the batch `demo` finds in a file of this content, and the rows and their edited texts. */
async function find(content: string): Promise<{ found: EditedRows; edits: readonly (readonly unknown[])[] }> {
  return withManifest(content, async (path) => {
    const batch = await place.ledger.findBatch('demo');
    if (batch === undefined) throw new Error('the batch is gone');
    const found = await findEditedRows(await openManifest(path), { ledger: place.ledger, batch });
    const edits: unknown[][] = [];
    if (found.is === 'found') {
      for await (const { scanned, edit } of found.rows)
        edits.push([scanned.row.row, edit && [edit.spec.text, edit.from]]);
    }
    return { found, edits };
  });
}

describe('findEditedRows', () => {
  it('finds rows by id, in the order of the file, and tells which were edited', async () => {
    const { edits } = await find('id,text,voice\nb,Zwei.,narrator\na,One.,narrator\n');
    expect(edits).toEqual([
      [2, ['Zwei.', 'speech']],
      [1, null],
    ]);
  });

  it('finds rows by the number that an outcome file has, without ids', async () => {
    const { edits } = await find('id,text,voice,_batch,_row\n,Two!,narrator,demo,2\n');
    expect(edits).toEqual([[2, ['Two!', 'speech']]]);
  });

  it('names every line that does not fit', async () => {
    const { found } = await find(
      'id,text,voice,_batch,_row\nc,Three.,narrator,demo,3\nx,One.,narrator,demo,1\nb,Two.,narrator,demo,2\n,Two.,narrator,demo,2\n',
    );
    expect(found).toMatchObject({
      is: 'mismatched',
      count: 3,
      first: [
        { line: 2, id: 'c', why: 'no-such-row', by: '_row' },
        { line: 3, id: 'x', why: 'other-id', row: 1, expected: 'a' },
        { line: 5, why: 'twice', row: 2, before: 4 },
      ],
    });
    const { found: unknown } = await find('id,text,voice\nz,Three.,narrator\n');
    expect(unknown).toMatchObject({ is: 'mismatched', first: [{ id: 'z', why: 'no-such-row', by: 'id' }] });
  });

  it('counts the lines beyond the first fifty', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `new-${String(at)},Hello,narrator`);
    const { found } = await find(['id,text,voice', ...lines].join('\n'));
    if (found.is !== 'mismatched') throw new Error(found.is);
    expect([found.first.length, found.count]).toEqual([50, 60]);
  });

  it.each([
    [
      'a column that the batch has not',
      'id,text,voice,kind\na,One.,narrator,tts\n',
      { is: 'new-columns', columns: ['kind'] },
    ],
    ['a column that its rows need', 'id,text\na,One.\n', { is: 'faulty' }],
    ['a field for the API that the batch has not', 'id,text,voice,api.pitch\na,One.,n,2\n', { is: 'new-columns' }],
    ['no ids', 'text,voice\nOne.,narrator\n', { is: 'no-ids' }],
    ['rows of another batch', 'id,text,voice,_batch,_row\na,One.,n,other,1\n', { is: 'other-batch', other: 'other' }],
    ['an empty cell', 'id,text,voice\na,,narrator\n', { is: 'faulty', checked: { problemCount: 1 } }],
  ])('refuses %s', async (_, content, answer) => {
    expect((await find(content)).found).toMatchObject(answer);
  });
});
