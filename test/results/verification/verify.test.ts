/** @slow */
import { describe, expect, it } from '@jest/globals';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMismatch } from '../../../results/verification/mismatch.ts';
import { writeOutFolder } from '../../../results/write-out-folder.ts';
import { jsonRowSchema } from '../../../results/verification/verify-tables.ts';
import { verifyOut } from '../../../results/verification/verify.ts';
import { damaging, doubleLine, dropLine, projectCopies } from '../damage.ts';
import { addBatch, intend, keyOf } from '../sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();

/** A finished batch in the out folder. */
const projectSample = (): Promise<void> => projectCopies(place);
const { change, findAfter } = damaging(place);

describe('verifyOut', () => {
  it('finds nothing wrong in what was projected, and counts it', async () => {
    await projectSample();
    const report = await verifyOut(place.out);
    expect(report).toMatchObject({ batch: 'demo', rows: 7, unfinished: 0, charged: 24.8, media: 4, mismatches: [] });
    expect(report.outcomes).toMatchObject({ succeeded: 3, failed: 1, unknown: 1, overdue: 1, cancelled: 1 });
  });

  it('finds nothing wrong in a batch that is still running', async () => {
    await addBatch(place, ['id'], [{ id: 'a', kind: 'tts', input: ['a'] }]);
    await intend(place, keyOf(1));
    await writeOutFolder(place.request({ complete: false }));
    expect(await verifyOut(place.out)).toMatchObject({ rows: 1, unfinished: 1, mismatches: [] });
  });

  it('reads cells back that no file can hold exactly', async () => {
    await addBatch(place, ['=a', 'b'], [{ id: 'a', kind: 'tts', input: ['\ud800 half', '\ufeff"\r\n'] }]);
    await writeOutFolder(place.request({ complete: false }));
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });

  it('reads the length of each result', async () => {
    await projectSample();
    const [line = ''] = (await readFile(join(place.out, 'results.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(line)).toMatchObject({ _seconds: 1.25 });
    expect(jsonRowSchema.safeParse(JSON.parse(line.replace('1.25', '-1'))).success).toBe(false);
  });

  const missing = 'row 4: expected one line, found no line';
  it.each<[string, string, (text: string) => string, readonly string[]]>([
    [
      'a line that is missing',
      'results.jsonl',
      dropLine('{"id":"d"'),
      [
        `results.jsonl, ${missing}`,
        'failed.csv, row 4: expected no line, found one line',
        'summary.json, rows: expected 6, found 7',
        'summary.json, outcomes.failed: expected 0, found 1',
      ],
    ],
    ['a row that is missing', 'results.csv', dropLine('d,'), [`results.csv, ${missing}`]],
    ['a row of an outcome that is missing', 'failed.csv', dropLine('d,'), [`failed.csv, ${missing}`]],
    [
      'a line that is twice',
      'results.jsonl',
      doubleLine('{"id":"d"'),
      ['results.jsonl, row 4: expected one line, found 2 lines'],
    ],
    ['a row that is twice', 'results.csv', doubleLine('d,'), ['results.csv, row 4: expected one line, found 2 lines']],
    [
      'a changed cell',
      'results.csv',
      (text) => text.replace('bad voice', 'good voice'),
      ['results.csv, row 4, text: expected "bad voice", found "good voice"'],
    ],
    [
      'a changed sum',
      'results.jsonl',
      (text) => text.replace('"_credits":4.5', '"_credits":4'),
      [
        'results.csv, row 1, _credits: expected "4", found "4.5"',
        'row 1, _credits: expected 4.5 credits, found 4 credits',
      ],
    ],
    [
      'a changed outcome',
      'results.jsonl',
      (text) => text.replace('"_outcome":"failed"', '"_outcome":"cancelled"'),
      [
        'results.csv, row 4, _outcome: expected "cancelled", found "failed"',
        'failed.csv, row 4: expected no line, found one line',
        'cancelled.csv, row 4: expected one line, found no line',
        'summary.json, outcomes.failed: expected 0, found 1',
        'summary.json, outcomes.cancelled: expected 2, found 1',
      ],
    ],
    [
      'a receipt that is missing',
      'receipts.jsonl',
      dropLine('{"row":1,'),
      [
        'row 1, _credits: expected 0 credits, found 4.5 credits',
        'row 1, _credits_kind: expected none, found reported',
        'row 1, _attempts: expected 0, found 1',
        'row 1, _job_ids: expected , found job-1-speech',
        'row 1, media/a.mp3: expected a receipt that names this file, found none',
        'summary.json, credits.charged: expected 20.3 credits, found 24.8 credits',
      ],
    ],
    [
      'a receipt that is twice, and one of no row',
      'receipts.jsonl',
      (text) => `${doubleLine('{"row":4,')(text)}${text.split('\n')[0]?.replace('"row":1', '"row":9') ?? ''}\n`,
      [
        'row 4, _attempts: expected 2, found 1',
        'row 4, receipts of speech, take 1: expected attempts 1, 2 and so on, found 1, 1',
        'receipts.jsonl: expected no row but 1 to 7, found a line of row 9',
      ],
    ],
    [
      'a table that is no CSV any more, but not each of its rows',
      'results.csv',
      (text) => text.replace('"two', 'x"two'),
      [expect.stringMatching(/^results\.csv: expected a file that can be read, found .*Quote/u) as unknown as string],
    ],
  ])('names %s', async (_, name, by, found) => {
    await projectSample();
    expect(await findAfter(name, by)).toEqual(found);
  });

  it('names lines that are out of order or cannot be read, and goes on', async () => {
    await projectSample();
    const found = await findAfter('results.jsonl', (text) => {
      const lines = text.split('\n');
      return [lines[1], lines[0], '{"half', '{"_row":3}', ...lines.slice(2)].join('\n');
    });
    expect(found[0]).toBe('results.jsonl, row 1: expected one line, found no line');
    expect(found).toContain('results.jsonl: expected a line of row 2 or later next, found one of row 1');
    expect(found).toContain('results.jsonl: expected a line of ours, found line 3, which is not JSON');
    expect(found).toContain(
      'results.jsonl: expected a line of ours, found line 4, _batch: Invalid input: expected string, received undefined',
    );
    expect(found.some((line) => line.includes('row 3: expected one line'))).toBe(false);
  });

  it('names a flipped byte, another length, and a lost file of media', async () => {
    await projectSample();
    await writeFile(join(place.out, 'media/a.mp3'), 'sound of A');
    await writeFile(join(place.out, 'media/b.srt'), 'short');
    await rm(join(place.out, 'media/c.mp4'));
    const { mismatches, media } = await verifyOut(place.out);
    expect(mismatches.map(describeMismatch).sort()).toEqual([
      expect.stringMatching(/^row 1, media\/a\.mp3, sha256: expected b0ae5b66\w+, found \w+$/u),
      'row 2, media/b.srt: expected 44 bytes, found 5 bytes',
      'row 3, media/c.mp4: expected a file of 10 bytes, found no such file',
    ]);
    expect(media).toBe(3);
  });

  it('reads no file of another place, whatever a receipt says', async () => {
    await projectSample();
    await rm(join(place.out, 'media/c.mp4'));
    await symlink(join(place.folder, 'ledger.db'), join(place.out, 'media/c.mp4'));
    const found = await findAfter('receipts.jsonl', (text) => text.replace('media/a.mp3', 'media/../../ledger.db'));
    expect(found).toEqual([
      'row 1, media/a.mp3: expected a receipt that names this file, found none',
      'row 1, media/../../ledger.db: expected a file below media/, found another place',
      'row 3, media/c.mp4: expected a file of 10 bytes, found no plain file',
    ]);
  });

  it.each(['results.csv', 'results.jsonl', 'receipts.jsonl', 'failed.csv'])(
    'names %s where it is lost',
    async (name) => {
      await projectSample();
      await rm(join(place.out, name));
      const { mismatches } = await verifyOut(place.out);
      expect(mismatches[0]).toEqual({ where: name, expected: 'a file', got: 'no such file' });
    },
  );

  it('names an outcome file that does not belong there, and one that is not listed', async () => {
    await projectSample();
    await writeFile(join(place.out, 'unfit.csv'), 'id\n');
    await change('summary.json', (text) => text.replace(/\n *"failed.csv".*/u, ''));
    await rm(join(place.out, 'failed.csv'));
    expect((await verifyOut(place.out)).mismatches.map(describeMismatch)).toEqual([
      'unfit.csv: expected no such file, found one that the summary does not list',
      'failed.csv: expected a file with 1 rows, found none in the summary',
    ]);
  });

  it('names every wrong figure of the summary', async () => {
    await projectSample();
    await change('summary.json', (text) =>
      text
        .replace('"rows": 7', '"rows": 6')
        .replace('"waiting": 0', '"waiting": 1')
        .replace('"charged": 24.8', '"charged": 24')
        .replace('"estimated": true', '"estimated": false'),
    );
    const figures = ['outcomes.cancelled', 'states, added up', 'credits.charged', 'credits.estimated'];
    const found = (await verifyOut(place.out)).mismatches.map(({ where }) => where);
    expect(found).toEqual([
      ...['results.jsonl', 'results.csv', 'cancelled.csv'],
      ...figures.map((figure) => `summary.json, ${figure}`),
    ]);
  });

  it.each([
    ['no such file', undefined],
    ['no JSON', '{'],
    ['no summary', '{}'],
  ])('checks nothing without a summary: %s', async (_, text) => {
    await projectSample();
    if (text === undefined) await rm(join(place.out, 'summary.json'));
    else await writeFile(join(place.out, 'summary.json'), text);
    const report = await verifyOut(place.out);
    expect(report.batch).toBeUndefined();
    expect(report.mismatches).toHaveLength(1);
    expect(report.mismatches[0]?.where).toBe('summary.json');
  });
});
