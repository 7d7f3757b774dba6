/** @slow */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMismatch } from '../../../results/verification/mismatch.ts';
import { writeOutFolder } from '../../../results/write-out-folder.ts';
import { verifyOut } from '../../../results/verification/verify.ts';
import { damaging, dropLine, projectAgain, projectCopies, recordsOf, rehash } from '../damage.ts';
import { addBatch, intend, keyOf } from '../sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();

/** A finished batch in the out folder. */
const projectSample = (): Promise<void> => projectCopies(place);
const { change, findAfter } = damaging(place);

/** What tells the row of a receipt; other tables have one record a row. */
function rowOf(name: string, record: string): string {
  return name === 'receipts.jsonl' ? (/"row":\d+/u.exec(record)?.[0] ?? '') : record;
}

describe('verifyOut', () => {
  it('finds any byte that is changed, lost or added, in any file but the summary', async () => {
    await projectSample();
    const entries = await readdir(place.out, { recursive: true, withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isFile() && entry.name !== 'summary.json')
      .map((entry) => join(entry.parentPath, entry.name));
    expect(names).toHaveLength(11);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.nat(),
        fc.constantFrom('change', 'lose', 'add'),
        fc.integer({ min: 1, max: 255 }),
        async (path, seed, how, byte) => {
          const bytes = await readFile(path);
          const at = seed % bytes.length;
          const middle = { change: [(bytes[at] ?? 0) ^ byte], lose: [], add: [byte, bytes[at] ?? 0] }[how];
          await writeFile(path, Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(at + 1)]));
          expect((await verifyOut(place.out)).mismatches).not.toEqual([]);
          await writeFile(path, bytes);
        },
      ),
    );
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });

  it.each([
    'results.csv',
    'results.jsonl',
    'receipts.jsonl',
    'failed.csv',
    'unknown.csv',
    'overdue.csv',
    'cancelled.csv',
  ])('finds any line of %s that is lost, twice or elsewhere, although its hash was forged', async (name) => {
    await projectSample();
    const [whole, sums] = [await readFile(join(place.out, name)), await readFile(join(place.out, 'summary.json'))];
    const lines = recordsOf(name, whole.toString());
    const first = name.endsWith('csv') ? 1 : 0;
    for (let at = first; at < lines.length; at += 1) {
      const line = lines[at] ?? '';
      const damaged = [lines.toSpliced(at, 1), lines.toSpliced(at, 0, line)];
      const later = lines.toSpliced(at, 1).toSpliced(at + 1, 0, line);
      // Receipts of one row have no order of their own.
      const isMoved = at + 1 < lines.length && rowOf(name, line) !== rowOf(name, lines[at + 1] ?? '');
      for (const text of isMoved ? [...damaged, later] : damaged) {
        await writeFile(join(place.out, name), text.join(''));
        await rehash(place.out, name);
        expect((await verifyOut(place.out)).mismatches).not.toEqual([]);
        await writeFile(join(place.out, 'summary.json'), sums);
      }
    }
    await writeFile(join(place.out, name), whole);
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });

  it('finds a row that was taken out of all tables and all counts', async () => {
    await projectSample();
    for (const name of ['results.csv', 'results.jsonl', 'receipts.jsonl', 'failed.csv']) {
      await change(
        name,
        dropLine(name.endsWith('csv') ? 'd,' : name.startsWith('receipts') ? '{"row":4,' : '{"id":"d"'),
      );
      await rehash(place.out, name);
    }
    await change('summary.json', (text) =>
      text.replace('"rows": 7', '"rows": 6').replace('"failed": 1', '"failed": 0'),
    );
    const found = (await verifyOut(place.out)).mismatches.map(describeMismatch);
    expect(found).toContain('results.jsonl, row 4: expected one line, found no line');
    expect(found).toContain('results.jsonl: expected no row but 1 to 6, found a line of row 7');
  });

  it('names a row that hides a take or a file, and a closed batch whose row has no outcome', async () => {
    await projectSample();
    expect(await findAfter('receipts.jsonl', (text) => text.replace('"take":1', '"take":2'))).toEqual([
      'row 1, _attempts: expected 0, found 1',
      'row 1, _take: expected 2, found 1',
    ]);
    await projectAgain(place);
    const hidden = await findAfter('results.jsonl', (text) => text.replace('"media/a.mp3"', '""'));
    expect(hidden).toContain('row 1, _file: expected media/a.mp3, found none');
    await projectAgain(place);
    const open = await findAfter('results.jsonl', (text) => text.replace('"_outcome":"failed"', '"_outcome":""'));
    expect(open).toContain('summary.json, rows without an outcome: expected 0, found 1');
  });

  it('lets an open batch reserve more than is on its receipts, and a closed one nothing', async () => {
    await addBatch(place, ['id'], [{ id: 'a', kind: 'tts', input: ['a'] }]);
    await intend(place, keyOf(1));
    await writeOutFolder(place.request({ complete: false }));
    await change('summary.json', (text) => text.replace('"reserved": 10', '"reserved": 18'));
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
    await change('summary.json', (text) => text.replace('"reserved": 18', '"reserved": 9'));
    expect((await verifyOut(place.out)).mismatches.map(({ where }) => where)).toEqual([
      'summary.json, credits.reserved',
    ]);
    await place.ledger.settle(keyOf(1), { verdict: 'rejected' }, { outcome: 'failed' });
    await place.ledger.closeBatch('demo');
    await writeOutFolder(place.request());
    await change('summary.json', (text) => text.replace('"reserved": 0', '"reserved": 10'));
    expect((await verifyOut(place.out)).mismatches.map(({ where }) => where)).toEqual([
      'summary.json, credits.reserved',
    ]);
  });

  it('reads a summary that was made before budgets were', async () => {
    await projectSample();
    await change('summary.json', (text) => text.replace(/\n *"(halted|budget)": null,/gu, ''));
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });
});
