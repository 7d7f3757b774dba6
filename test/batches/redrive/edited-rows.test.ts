import { beforeEach, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { findEditedRows, type EditedRows } from '../../../batches/redrive/edited-rows.ts';
import type { BatchSettings } from '../../../contract/batch.ts';
import { openManifest } from '../../../inputs/manifest-source.ts';
import { withManifest } from '../../inputs/manifest-file.ts';
import { addBatch, intend, keyOf } from '../../results/sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

const COLUMNS = ['id', 'text', 'voice'];
const ROWS = [
  { id: 'a', kind: 'tts', input: ['a', 'One.', 'narrator'] },
  { id: 'b', kind: 'tts', input: ['b', 'Two.', 'narrator'] },
] as const;

const place = freshPlace();

/** What the batch `demo` finds in a file of this content, and the rows and their edited texts. */
async function find(content: string): Promise<{ found: EditedRows; edits: readonly (readonly unknown[])[] }> {
  return withManifest(content, async (path) => {
    const batch = await place.batch();
    const found = await findEditedRows(await openManifest(path), { ledger: place.ledger, batch });
    const edits: unknown[][] = [];
    if (found.type === 'found') {
      for await (const { scanned, edit } of found.rows)
        edits.push([scanned.row.row, edit && [edit.spec.text, edit.from]]);
    }
    return { found, edits };
  });
}

describe('findEditedRows', () => {
  beforeEach(() => addBatch(place, COLUMNS, ROWS));

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

  it.each([
    ['has spaces around an id', 'id,text,voice\n  b  ,Two!,narrator\n'],
    ['has numbers of rows and no column of ids', 'text,voice,_batch,_row\nTwo!,narrator,demo,2\n'],
    ['has a column that shapes nothing', 'id,text,voice,note\nb,Two!,narrator,mine\n'],
  ])('finds a row in a file that %s', async (_, content) => {
    expect((await find(content)).edits).toEqual([[2, ['Two!', 'speech']]]);
  });

  it('refuses a file that changes after it was looked at before its first row is acted on', async () => {
    await withManifest('id,text,voice\nb,Zwei.,narrator\n', async (path) => {
      const batch = await place.batch();
      const source = await openManifest(path);
      const found = await findEditedRows(source, { ledger: place.ledger, batch });
      if (found.type !== 'found') throw new Error(found.type);
      // As those of a large file are.
      source.rows.drop();
      await writeFile(path, 'id,text,voice\nb,Drei.,narrator\n');
      const seen: unknown[] = [];
      const reading = (async () => {
        for await (const row of found.rows) seen.push(row);
      })();
      await expect(reading).rejects.toThrow('a file that changed since');
      expect(seen).toEqual([]);
    });
  });

  it('names lines of another batch of this name by their jobs', async () => {
    await intend(place, keyOf(1));
    await place.ledger.settle(keyOf(1), { verdict: 'accepted', jobId: 'job-00000001 a' }, { state: 'processing' });
    const header = 'id,text,voice,_batch,_row,_job_ids\n';
    expect(
      (await find(`${header}a,One.,narrator,demo,1,job-00000001 a\nb,Two!,narrator,demo,2,\n`)).edits,
    ).toHaveLength(2);
    // As a spreadsheet may have written a number.
    expect((await find(`${header}a,One.,narrator,demo,1,1.23457E+17\n`)).edits).toHaveLength(1);
    const { found } = await find(`${header}a,One.,narrator,demo,1,job-00000007 a\nb,Two.,narrator,demo,2,job-0000\n`);
    expect(found).toMatchObject({
      type: 'mismatched',
      first: [
        { line: 2, type: 'other-job', row: 1, got: 'job-00000007' },
        { line: 3, type: 'other-job', row: 2, got: 'job-0000' },
      ],
    });
    const line = { id: 'a', text: 'One.', voice: 'narrator', _batch: 'demo', _row: 1 };
    expect(await find(JSON.stringify({ ...line, _job_ids: ['job-00000001 a'] }))).toMatchObject({
      found: { type: 'found' },
    });
    expect(await find(JSON.stringify({ ...line, _job_ids: ['job-00000002'] }))).toMatchObject({
      found: { type: 'mismatched' },
    });
  });

  it('keeps the voice of a row that names the same one, and takes no new name', async () => {
    const { ledger } = place;
    const loading = await ledger.createBatch({ ...(await place.batch()), name: 'named' });
    const spec = { kind: 'tts', text: 'One.', voice: 'v-1', extra: {} } as const;
    await ledger.addRows(loading, [{ row: 1, id: 'a', line: 2, spec, input: ['a', 'One.', 'name:Ada'], quoted: 1 }]);
    await ledger.openBatch(loading, 1);
    const batch = { ...(await place.batch()), name: 'named' };
    const found = (voice: string, from = ledger): Promise<EditedRows> =>
      withManifest(`id,text,voice\na,Eins.,${voice}\n`, async (path) =>
        findEditedRows(await openManifest(path), { ledger: from, batch }),
      );
    const same = await found('name:Ada');
    if (same.type !== 'found') throw new Error(same.type);
    expect(await found('name:Lin')).toMatchObject({ type: 'mismatched', first: [{ line: 2, type: 'new-name' }] });
    const made = { row: { kind: 'voice', text: 'v-9', spec: { name: 'Lin' } } };
    const scanRows = async function* (): AsyncGenerator {
      yield await Promise.resolve(made);
    };
    const withMade = Object.create(ledger, { scanRows: { value: scanRows } }) as typeof ledger;
    const mismatched = await found('name:Lin', withMade);
    expect(mismatched).toMatchObject({ first: [{ type: 'new-name', got: 'name:Lin', made: 'v-9' }] });
    expect(await found('v-2')).toMatchObject({ type: 'found' });
  });

  it('names every line that does not fit', async () => {
    const { found } = await find(
      'id,text,voice,_batch,_row\nc,Three.,narrator,demo,3\nx,One.,narrator,demo,1\nb,Two.,narrator,demo,2\n,Two.,narrator,demo,2\n',
    );
    expect(found).toMatchObject({
      type: 'mismatched',
      count: 3,
      first: [
        { line: 2, id: 'c', type: 'no-such-row', by: '_row' },
        { line: 3, id: 'x', type: 'other-id', row: 1, expected: 'a' },
        { line: 5, type: 'twice', row: 2, before: 4 },
      ],
    });
    const { found: unknown } = await find('id,text,voice\nz,Three.,narrator\n');
    expect(unknown).toMatchObject({ type: 'mismatched', first: [{ id: 'z', type: 'no-such-row', by: 'id' }] });
  });

  it('counts the lines beyond the first fifty', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `new-${String(at)},Hello,narrator`);
    const { found } = await find(['id,text,voice', ...lines].join('\n'));
    if (found.type !== 'mismatched') throw new Error(found.type);
    expect([found.first.length, found.count]).toEqual([50, 60]);
  });

  it.each([
    [
      'a column that the batch has not',
      'id,text,voice,kind\na,One.,narrator,tts\n',
      { type: 'new-columns', columns: ['kind'] },
    ],
    ['a column that its rows need', 'id,text\na,One.\n', { type: 'faulty' }],
    ['a field for the API that the batch has not', 'id,text,voice,api.pitch\na,One.,n,2\n', { type: 'new-columns' }],
    ['no ids', 'text,voice\nOne.,narrator\n', { type: 'no-ids' }],
    ['rows of another batch', 'id,text,voice,_batch,_row\na,One.,n,other,1\n', { type: 'other-batch', other: 'other' }],
    ['an empty cell', 'id,text,voice\na,,narrator\n', { type: 'faulty', checked: { problemCount: 1 } }],
  ])('refuses %s', async (_, content, answer) => {
    expect((await find(content)).found).toMatchObject(answer);
  });
});

describe('findEditedRows, where the batch has more columns', () => {
  const VIDEO = 'https://h.example/v.mp4';

  async function fill(columns: readonly string[], change: Partial<BatchSettings> = {}): Promise<void> {
    await addBatch(place, columns, [{ id: 'a', kind: 'tts', input: ['a', 'One.'] }], '{id}.{ext}', null, change);
  }

  it('refuses a file that lacks one which shapes its rows, and would empty it', async () => {
    await fill(['id', 'text', 'voice', 'format', 'api.pitch', 'note']);
    const { found } = await find('id,text,voice\na,One.,narrator\n');
    expect(found).toMatchObject({ type: 'missing-columns', columns: ['format', 'api.pitch'] });
  });

  it('refuses a line that makes another kind of its row', async () => {
    await fill(['id', 'text', 'voice', 'kind', 'video']);
    const { found } = await find(`id,text,voice,kind,video\na,One.,narrator,dub,${VIDEO}\n`);
    const first = [{ line: 2, id: 'a', type: 'other-kind', row: 1, expected: 'tts', got: 'dub' }];
    expect(found).toMatchObject({ type: 'mismatched', count: 1, first });
  });

  it.each([
    ['one kind for all', 'tts', { type: 'found' }],
    ['a kind by its columns', null, { type: 'mismatched', first: [{ type: 'other-kind', got: 'dub' }] }],
  ] as const)('reads a file as the manifest was read, with %s', async (_, kind, answer) => {
    await fill(['id', 'text', 'voice', 'video'], { reading: { kind, defaults: {}, map: {}, tts: 'job' } });
    expect((await find(`id,text,voice,video\na,One.,narrator,${VIDEO}\n`)).found).toMatchObject(answer);
  });
});
