import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { addStories, type RowStory } from '../../batches/two-batches.ts';
import { aBatch } from '../../ledger/setup.ts';
import { mp3 } from '../../store/media.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';

const place = placeForEach();

const speech: RowStory = { type: 'speech', body: mp3(100) };
const short: RowStory = { type: 'speech', body: mp3(20) };
const refused: RowStory = { type: 'refused', failure: { class: 'BadRequest', message: 'no such voice' } };
const heard = (text: string): RowStory => ({ type: 'transcript', text });

const add = (name: string, ...stories: readonly RowStory[]): Promise<void> =>
  addStories(place.ledger, join(place.folder, 'store'), name, stories);

const COMPARE = 'compare one other';

describe('voxbatch compare BATCH BATCH', () => {
  it('ends with 0 where two batches are alike', async () => {
    await add('one', speech, heard('hello'), refused);
    await add('other', speech, heard('Hello.'), refused);
    const out = [
      '"one" beside "other": 3 rows compared\n',
      /\nsucceeded +2 +2\n/,
      /\n {2}BadRequest +1 +1\n/,
      /\nseconds of 1 row +2\.4 +2\.4 +a row differs by 0\.0%, p95 0\.0%\n/,
      /\nwords of 1 row +1 transcripts equal; 0 of 1 words differ\n/,
      /\ncredits of \d rows? paid in both +[\d.]+ +[\d.]+ /,
      /rows that differ: 0\.0%, up to 1% is allowed\n/,
      /Parity within the tolerances\.\n$/,
    ];
    await expectRun(COMPARE, 0, { out, err: '' });
  });

  it('names the rows that differ, ends with 10, and says the same for machines', async () => {
    await add('one', speech, speech, heard('one two three'), refused);
    await add('other', short, refused, heard('one four three'), speech);
    const out = [
      '\n  r1 (row 1): 2.4 s, then 0.5 s\n',
      '\n  r2 (row 2): succeeded, then failed (BadRequest)\n',
      '\n  r3 (row 3): 1 of 3 words differ\n',
      '\nrows that differ: 100.0%, up to 1% is allowed: TOO MUCH\n',
      /\nThey differ\.\n$/,
    ];
    await expectRun(COMPARE, 10, { out });
    const { value } = await json(COMPARE);
    expect(value).toMatchObject({
      exit: 'failures',
      verdict: 'differs',
      batches: [{ name: 'one' }, { name: 'other' }],
      rows: { compared: 4, differing: 4, not_run: 0, open: 0, only: [0, 0] },
      tolerances: { length: 0.25, latency: null },
    });
    const sides = [{ outcome: 'succeeded' }, { error_class: 'BadRequest' }];
    const second = (value['differing'] as readonly { id: string }[]).find(({ id }) => id === 'r2');
    expect(second).toMatchObject({ differs: ['outcome'], sides });
  });

  it('names the dialects, of both batches and of each row that differs, where one of them is not v1', async () => {
    await add('one', speech, speech);
    const moved = aBatch('other');
    const { settings } = moved;
    await addStories(
      ...([place.ledger, join(place.folder, 'store'), 'other', [short, speech]] as const),
      (row) => ({ ...row, spec: { ...row.spec, dialect: 'legacy' } }),
      { ...moved, settings: { ...settings, reading: { ...settings.reading, legacyShare: 1 } } },
    );
    await expectRun(COMPARE, 10, { out: '"one" (v1) beside "other" (legacy): 2 rows compared\n' });
    const { value } = await json(COMPARE);
    const dialects = [{ api_dialect: 'v1' }, { api_dialect: 'legacy' }];
    expect(value).toMatchObject({ batches: dialects, differing: [{ id: 'r1', sides: dialects }] });
  });

  it('takes tolerances', async () => {
    await add('one', speech, heard('one two three'));
    await add('other', short, heard('one four three'));
    await expectRun(`${COMPARE} --length 90% --words any`, 0);
    await expectRun(`${COMPARE} --length 90%`, 10);
    await expectRun(`${COMPARE} --rows 100%`, 0);
    await expectRun(`${COMPARE} --rows 5`, 2, 'expected a share, such as 5%, or any');
  });

  it('ends with 75 while rows have not ended and nothing differs', async () => {
    await add('one', speech, speech);
    await add('other', speech, undefined);
    const out = ['1 row compared, 1 not ended yet', 'No difference so far; 1 row not ended yet.'];
    await expectRun(COMPARE, 75, { out });
    expect((await json(COMPARE)).value).toMatchObject({ exit: 'unfinished', retry: 'later' });
    // It does not end by itself.
    await place.ledger.setControl('other', 'paused');
    expect((await json(COMPARE)).value).toMatchObject({ exit: 'paused', exit_code: 75, retry: 'after-change' });
  });

  it('writes every row that differs to a file, over an earlier one but over no other', async () => {
    await add('one', speech, heard('=one'), refused);
    await add('other', short, heard('two'));
    const write = `${COMPARE} --out differ.csv`;
    await expectRun(write, 10, /^The rows that differ: differ\.csv\n$/);
    const [header, ...lines] = readFileSync('differ.csv', 'utf8').trimEnd().split('\n');
    expect(header).toMatch(/^id,differs,input,words_different,words,row_1,row_2,outcome_1,outcome_2,/);
    expect(lines).toEqual([
      expect.stringMatching(/^r1,length,,,,1,1,succeeded,succeeded,,,2\.4\d*,0\.4\d*,2,2,1,1,,,v1,v1$/),
      expect.stringMatching(/^r2,words,,1,1,2,2,.*,'=one,two,v1,v1$/),
      expect.stringMatching(/^r3,only,,,,3,,failed,,BadRequest,,/),
    ]);
    await expectRun(write, 10);
    // Of an earlier version, which had fewer columns.
    writeFileSync('differ.csv', 'id,differs,input,words_different,words,row_1,row_2\n');
    await expectRun(write, 10);
    writeFileSync('lines.csv', 'id,text\n');
    await expectRun(`${COMPARE} --out lines.csv`, 2, 'lines.csv is another file, which --out would overwrite.');
    expect(readFileSync('lines.csv', 'utf8')).toBe('id,text\n');
  });

  it.each(['.', 'none/differ.csv', 'plain/differ.csv'])('refuses --out %s, where no file can be', async (out) => {
    await add('one', speech);
    await add('other', speech);
    writeFileSync('plain', '');
    const err = /cannot be written: .* Name another file with --out\./;
    await expectRun(`${COMPARE} --out ${out}`, 2, { out: '', err });
  });

  it('refuses batches that have nothing in common, one batch twice, and names that nobody knows', async () => {
    await add('one', speech);
    await addStories(place.ledger, join(place.folder, 'store'), 'far', [heard('x')], (row) => ({ ...row, id: 'z' }));
    await expectRun('compare one one', 2);
    await expectRun('compare one nowhere', 2, /There is no batch "nowhere" here\. Known: .*one/);
    await expectRun('compare one far', 2, 'No row of "one" is in "far"');
  });
});
