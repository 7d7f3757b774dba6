import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { compareBatches, type BatchComparison, type UnlikeRow } from '../../../batches/compare/compare-batches.ts';
import { DEFAULT_TOLERANCES, type Tolerances } from '../../../contract/tolerances.ts';
import { openFolderBytes } from '../../../store/folder-bytes.ts';
import { openMediaStore } from '../../../store/media-store.ts';
import { mp3 } from '../../store/media.ts';
import { freshPlace } from '../../support/place.ts';
import { addStories, type RowStory } from '../two-batches.ts';

const place = freshPlace();
const store = (): string => join(place.folder, 'store');

type Compared = BatchComparison & { readonly unlike: readonly UnlikeRow[] };

async function compare(
  one: readonly RowStory[],
  other: readonly RowStory[],
  tolerances: Partial<Tolerances> = {},
): Promise<Compared> {
  await addStories(place.ledger, store(), 'one', one);
  await addStories(place.ledger, store(), 'other', other);
  return again(tolerances);
}

async function again(tolerances: Partial<Tolerances> = {}): Promise<Compared> {
  const unlike: UnlikeRow[] = [];
  const found = await compareBatches({
    ledger: place.ledger,
    store: openMediaStore(openFolderBytes(store())),
    batches: [await place.batch('one'), await place.batch('other')],
    tolerances: { ...DEFAULT_TOLERANCES, ...tolerances },
    onRow: (row) => void unlike.push(row),
  });
  return { ...found, unlike };
}

const speech = (frames: number, credits = 2): RowStory => ({ type: 'speech', body: mp3(frames), credits });
const heard = (text: string): RowStory => ({ type: 'transcript', text });
const refused: RowStory = { type: 'refused', failure: { class: 'BadRequest', message: 'no such voice' } };

describe('compareBatches', () => {
  it('finds two like batches alike, and reads the lengths of their media', async () => {
    const found = await compare([speech(100), heard('Hello!'), refused], [speech(100), heard('hello'), refused]);
    expect(found).toMatchObject({ verdict: 'parity', only: [0, 0], unmeasured: 0, unlike: [] });
    expect(found.length.seconds[0]).toBeCloseTo(2.4, 1);
    expect(found.length).toMatchObject({ rows: 1, change: { count: 1, median: 0 } });
    expect(found.words).toMatchObject({ rows: 1, equal: 1 });
    expect(found.errors).toEqual([{ errorClass: 'BadRequest', rows: [1, 1] }]);
    expect(found.latency.map(({ step, accepted, finished }) => [step, accepted[1]?.count, finished[1]?.count])).toEqual(
      [
        ['speech', 1, 1],
        ['transcription', 1, undefined],
      ],
    );
  });

  it('names the rows that differ, and in what', async () => {
    const found = await compare(
      [speech(100), speech(100), heard('one two three'), refused, speech(10)],
      [speech(50), refused, heard('one four three'), speech(10), speech(10)],
    );
    expect(found.verdict).toBe('differs');
    expect(found.unlike.map((row) => (row.type === 'differs' ? row.parity.differences : row.type))).toEqual([
      ['length'],
      ['outcome'],
      ['words'],
      ['outcome'],
    ]);
    expect(found.judgements).toContainEqual({ of: { type: 'rows' }, share: 0.8, tolerance: 0.01, isWithin: false });
  });

  it('compares credits of what both paid for', async () => {
    const found = await compare([speech(10, 2), refused], [speech(10, 3), speech(10, 7)], { rows: Infinity });
    expect(found.credits).toEqual({ rows: 1, sums: [2, 3] });
    expect(found.verdict).toBe('differs');
    expect((await again({ rows: Infinity, credits: 0.5 })).verdict).toBe('parity');
  });

  it('leaves rows that have not ended for later, and lists those of one batch', async () => {
    const found = await compare([speech(10), undefined, refused], [speech(10), speech(10)]);
    expect(found).toMatchObject({ verdict: 'unfinished', rows: { compared: 1, open: 1 }, only: [1, 0] });
    expect(found.unlike).toMatchObject([{ type: 'only', side: 0, row: { row: { id: 'r3' } } }]);
  });

  it('says in what the requests differ, and not by which endpoint they were made', async () => {
    await addStories(place.ledger, store(), 'one', [speech(10), speech(10)]);
    await addStories(place.ledger, store(), 'other', [speech(10), speech(10)], (row) =>
      row.row === 1
        ? { ...row, spec: { ...row.spec, dialect: 'legacy' } }
        : { ...row, spec: { ...row.spec, voice: 'w' } },
    );
    const { unlike } = await again();
    expect(unlike).toMatchObject([{ parity: { differences: ['input'] }, input: ['voice'] }]);
  });

  it('goes by the length on record where there is one', async () => {
    const noted: RowStory = { type: 'speech', body: Buffer.from('removed since'), seconds: 2.4 };
    const found = await compare([noted], [speech(100)]);
    expect(found).toMatchObject({ verdict: 'parity', unmeasured: 0, length: { rows: 1 } });
    expect(found.length.seconds[0]).toBe(2.4);
  });

  it('counts files without a length, and draws no conclusion from them', async () => {
    const noise: RowStory = { type: 'speech', body: Buffer.from('no media at all') };
    expect(await compare([speech(10)], [noise])).toMatchObject({
      verdict: 'parity',
      unmeasured: 1,
      length: { rows: 0 },
    });
  });
});
