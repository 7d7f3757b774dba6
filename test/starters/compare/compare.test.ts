import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { addStories, type RowStory } from '../../batches/two-batches.ts';
import { aBatch } from '../../ledger/setup.ts';
import { mp3 } from '../../store/media.ts';
import { placeForEach } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

const { place } = placeForEach();

const speech: RowStory = { type: 'speech', body: mp3(100) };
const short: RowStory = { type: 'speech', body: mp3(20) };
const refused: RowStory = { type: 'refused', failure: { class: 'BadRequest', message: 'no such voice' } };
const heard = (text: string): RowStory => ({ type: 'transcript', text });

const add = (name: string, ...stories: readonly RowStory[]): Promise<void> =>
  addStories(place.ledger, join(place.folder, 'store'), name, stories);

describe('voxbatch compare BATCH BATCH', () => {
  it('ends with 0 where two batches are alike', async () => {
    await add('one', speech, heard('hello'), refused);
    await add('other', speech, heard('Hello.'), refused);
    const { code, stdout, stderr } = await run('compare', 'one', 'other');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('"one" beside "other": 3 rows compared\n');
    expect(stdout).toMatch(/\nsucceeded +2 +2\n/);
    expect(stdout).toMatch(/\n {2}BadRequest +1 +1\n/);
    expect(stdout).toMatch(/\nseconds of 1 row +2\.4 +2\.4 +a row differs by 0\.0%, p95 0\.0%\n/);
    expect(stdout).toMatch(/\nwords of 1 row +1 transcripts equal; 0 of 1 words differ\n/);
    expect(stdout).toMatch(/\ncredits of \d rows? paid in both +[\d.]+ +[\d.]+ /);
    expect(stdout).toMatch(/rows that differ: 0\.0%, up to 1% is allowed\n/);
    expect(stdout).toMatch(/Parity within the tolerances\.\n$/);
  });

  it('names the rows that differ, ends with 10, and says the same for machines', async () => {
    await add('one', speech, speech, heard('one two three'), refused);
    await add('other', short, refused, heard('one four three'), speech);
    const { code, stdout } = await run('compare', 'one', 'other');
    expect(code).toBe(10);
    expect(stdout).toContain('\n  r1 (row 1): 2.4 s, then 0.5 s\n');
    expect(stdout).toContain('\n  r2 (row 2): succeeded, then failed (BadRequest)\n');
    expect(stdout).toContain('\n  r3 (row 3): 1 of 3 words differ\n');
    expect(stdout).toContain('\nrows that differ: 100.0%, up to 1% is allowed: TOO MUCH\n');
    expect(stdout).toMatch(/\nThey differ\.\n$/);
    const { value } = await json('compare', 'one', 'other', '--json');
    expect(value).toMatchObject({
      exit: 'failures',
      verdict: 'differs',
      batches: [{ name: 'one' }, { name: 'other' }],
      rows: { compared: 4, differing: 4, not_run: 0, open: 0, only: [0, 0] },
      tolerances: { length: 0.25, latency: null },
    });
    expect(value['differing']).toContainEqual(
      expect.objectContaining({
        id: 'r2',
        differs: ['outcome'],
        sides: [
          expect.objectContaining({ outcome: 'succeeded' }),
          expect.objectContaining({ error_class: 'BadRequest' }),
        ],
      }),
    );
  });

  it('names the dialects, of both batches and of each row that differs, where one of them is not v1', async () => {
    await add('one', speech, speech);
    const moved = aBatch('moved');
    const { settings } = moved;
    await addStories(
      ...([place.ledger, join(place.folder, 'store'), 'moved', [short, speech]] as const),
      (row) => ({ ...row, spec: { ...row.spec, dialect: 'legacy' } }),
      { ...moved, settings: { ...settings, reading: { ...settings.reading, legacyShare: 1 } } },
    );
    const { stdout } = await run('compare', 'one', 'moved');
    expect(stdout).toContain('"one" (v1) beside "moved" (legacy): 2 rows compared\n');
    const { value } = await json('compare', 'one', 'moved', '--json');
    expect(value['batches']).toMatchObject([{ api_dialect: 'v1' }, { api_dialect: 'legacy' }]);
    expect(value['differing']).toMatchObject([{ id: 'r1', sides: [{ api_dialect: 'v1' }, { api_dialect: 'legacy' }] }]);
  });

  it('takes tolerances', async () => {
    await add('one', speech, heard('one two three'));
    await add('other', short, heard('one four three'));
    expect((await run('compare', 'one', 'other', '--length', '90%', '--words', 'any')).code).toBe(0);
    expect((await run('compare', 'one', 'other', '--length', '90%')).code).toBe(10);
    expect((await run('compare', 'one', 'other', '--rows', '100%')).code).toBe(0);
    const { code, stderr } = await run('compare', 'one', 'other', '--rows', '5');
    expect(code).toBe(2);
    expect(stderr).toContain('expected a share, such as 5%, or any');
  });

  it('ends with 75 while rows have not ended and nothing differs', async () => {
    await add('one', speech, speech);
    await add('other', speech, undefined);
    const { code, stdout } = await run('compare', 'one', 'other');
    expect(code).toBe(75);
    expect(stdout).toContain('1 row compared, 1 not ended yet');
    expect(stdout).toContain('No difference so far; 1 row not ended yet.');
  });

  it('writes every row that differs to a file, over an earlier one but over no other', async () => {
    await add('one', speech, heard('=one'), refused);
    await add('other', short, heard('two'));
    const { code, stderr } = await run('compare', 'one', 'other', '--out', 'differ.csv');
    expect({ code, stderr }).toEqual({ code: 10, stderr: 'The rows that differ: differ.csv\n' });
    const [header, ...lines] = readFileSync('differ.csv', 'utf8').trimEnd().split('\n');
    expect(header).toMatch(/^id,differs,input,words_different,words,row_1,row_2,outcome_1,outcome_2,/);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^r1,length,,,,1,1,succeeded,succeeded,,,2\.4\d*,0\.4\d*,2,2,1,1,,,v1,v1$/);
    expect(lines[1]).toMatch(/^r2,words,,1,1,2,2,.*,'=one,two,v1,v1$/);
    expect(lines[2]).toMatch(/^r3,only,,,,3,,failed,,BadRequest,,/);
    expect((await run('compare', 'one', 'other', '--out', 'differ.csv')).code).toBe(10);
    // Of an earlier version, which had fewer columns.
    writeFileSync('differ.csv', 'id,differs,input,words_different,words,row_1,row_2\n');
    expect((await run('compare', 'one', 'other', '--out', 'differ.csv')).code).toBe(10);
    writeFileSync('lines.csv', 'id,text\n');
    const refusal = await run('compare', 'one', 'other', '--out', 'lines.csv');
    expect(refusal.code).toBe(2);
    expect(refusal.stderr).toContain('lines.csv is another file, which --out would overwrite.');
    expect(readFileSync('lines.csv', 'utf8')).toBe('id,text\n');
  });

  it.each(['.', 'none/differ.csv', 'plain/differ.csv'])('refuses --out %s, where no file can be', async (out) => {
    await add('one', speech);
    await add('other', speech);
    writeFileSync('plain', '');
    const { code, stdout, stderr } = await run('compare', 'one', 'other', '--out', out);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/cannot be written: .* Name another file with --out\./);
  });

  it('refuses batches that have nothing in common, one batch twice, and names that nobody knows', async () => {
    await add('one', speech);
    await add('other', undefined);
    expect(await run('compare', 'one', 'one')).toMatchObject({ code: 2 });
    const { code, stderr } = await run('compare', 'one', 'nowhere');
    expect(code).toBe(2);
    expect(stderr).toContain('There is no batch "nowhere" here. Known: one, other.');
    await addStories(place.ledger, join(place.folder, 'store'), 'far', [heard('x')], (row) => ({
      ...row,
      id: 'z',
    }));
    const strange = await run('compare', 'one', 'far');
    expect(strange.code).toBe(2);
    expect(strange.stderr).toContain('No row of "one" is in "far"');
  });
});
