import { describe, expect, it } from '@jest/globals';
import { Distribution } from '../../../results/report/distribution.ts';
import { EndTimeline } from '../../../results/report/end-timeline.ts';
import { FailureGroups } from '../../../results/report/failure-groups.ts';
import { publicText } from '../../../results/report/public-text.ts';
import { maxTextLength, RowBlocks } from '../../../results/report/row-blocks.ts';
import type { ResultFields, ScannedRow } from '../../../results/result-line.ts';

function of(values: readonly number[]) {
  const distribution = new Distribution();
  for (const value of values) distribution.add(value);
  return distribution.view();
}

describe('a distribution', () => {
  it('has bars of equal width over what most values are, and counts every value once', () => {
    expect(of([])).toBeNull();
    expect(of([0, 0, 0])).toMatchObject({ values: 3, median: 0, bars: [{ from: 0, to: 1, values: 3 }] });
    expect(of([12, 12, 12, 12])).toMatchObject({ median: 12, bars: [{ from: 12, to: 13, values: 4 }] });
    const view = of([...Array.from({ length: 1_000 }, (_, at) => 1 + at / 100), 3_600]);
    expect(view).toMatchObject({ values: 1_001, least: 1, most: 3_600 });
    expect(view?.median).toBeCloseTo(6, 1);
    expect(view?.bars.length).toBeLessThanOrEqual(25);
    // One value of an hour does not leave one bar for all others.
    expect(view?.bars.at(-1)?.to).toBeLessThan(12);
    expect(view?.bars.reduce((sum, { values }) => sum + values, 0)).toBe(1_001);
  });

  it('takes no more memory for a million values than for a thousand', () => {
    const many = new Distribution();
    for (let at = 0; at < 1_000_000; at += 1) many.add(Math.abs(Math.sin(at)) * 1_000);
    expect(many.view()).toMatchObject({ values: 1_000_000 });
    expect(many.view()?.bars.length).toBeLessThanOrEqual(25);
  });
});

it('ends of rows come in any order, over a second or years, and make few spans', () => {
  const spans = new EndTimeline();
  expect(spans.view()).toBeNull();
  const day = 86_400_000;
  for (let at = 0; at < 60_000; at += 1)
    spans.add(((at * 7_919) % 60_000) * (day / 100), at % 3 === 0 ? 'failed' : 'succeeded');
  const view = spans.view();
  expect(view?.spans.length).toBeLessThanOrEqual(120);
  expect(view?.spans.reduce((all, { ends }) => all + (ends.failed ?? 0) + (ends.succeeded ?? 0), 0)).toBe(60_000);
  expect(Date.parse(view?.to ?? '') - Date.parse(view?.from ?? '')).toBeGreaterThanOrEqual(599 * day);
});

it('failures are grouped by reason, with examples whose messages differ by more than numbers', () => {
  const groups = new FailureGroups();
  const row = (id: string, cause: string, message: string) => {
    groups.add({ id, standing: 'failed', class: 'BadRequest', cause, message });
  };
  row('a', '400', 'job 17 failed');
  row('b', '400', 'job 18 failed');
  row('c', '400', 'the voice is gone');
  for (let at = 0; at < 300; at += 1) row(`n${at}`, `cause ${at}`, '');
  const { failures, otherFailures } = groups.view();
  expect(failures[0]).toMatchObject({ cause: '400', rows: 3, examples: [{ id: 'a' }, { id: 'c' }] });
  expect([failures.length, otherFailures]).toEqual([200, 101]);
});

it('of a batch above 200,000 rows all failures and a sample of the others are listed', () => {
  const listed = (rows: number, outcome: 'succeeded' | 'unknown' | 'skipped'): number => {
    const blocks = new RowBlocks({ choice: 'full', hasTexts: true, rows });
    for (let row = 1; row <= 1_000; row += 1) blocks.add(rowOf(row, outcome), FIELDS);
    return blocks.listed;
  };
  expect(listed(200_000, 'succeeded')).toBe(1_000);
  expect(listed(1_000_000, 'succeeded')).toBe(50);
  expect(listed(1_000_000, 'skipped')).toBe(50);
  expect(listed(1_000_000, 'unknown')).toBe(1_000);
  const blocks = new RowBlocks({ choice: 'full', hasTexts: false, rows: 1_000_000 });
  for (let row = 1; row <= 201_000; row += 1) blocks.add(rowOf(row, 'unknown'), FIELDS);
  expect(blocks.listed).toBe(200_050);
});

it('texts are cut in large batches only, so that a report of 100,000 rows stays below 10 MB', () => {
  expect([1, 1_000, 100_000, 1_000_000].map((rows) => maxTextLength({ rows }))).toEqual([5_000, 5_000, 160, 120]);
});

it('without texts no cell of a row says what it says, and nothing names or links its file', () => {
  const blocks = new RowBlocks({ choice: 'full', hasTexts: false, rows: 1 });
  blocks.add(rowOf(1, 'succeeded'), { ...FIELDS, _message: 'secret words', _file: 'media/secret.mp3' });
  expect(JSON.stringify(blocks.rest())).not.toContain('secret');
});

it.each([
  ['see https://user:p@ss@host.example/a/b?x=1', 'see https://host.example/a/b'],
  ['s3://k:secret@b/x?X-Amz-Signature=abc and wss://u@h/y#z', 's3://b/x and wss://h/y'],
  ['file:///home/ann/x.csv', 'x.csv'],
  ['//cdn/x?sig=1', '//cdn/x'],
  ['got /media/x?X-Amz-Signature=1', 'got x'],
  ['then a/b.mp3?sig=2', 'then a/b.mp3'],
  ['in /data/alice/x.csv: /builds/acme/y', 'in x.csv: y'],
  ['in \\\\nas\\share\\plan.csv and D:\\a\\b.csv', 'in plan.csv and b.csv'],
  ['/home/ann/My Files/secret plan.csv', 'secret plan.csv'],
  ["open '/data/My Big Files/a.csv' in out/lines", "open 'a.csv' in out/lines"],
  ['open /data/a/b.csv in out/lines', 'open b.csv in out/lines'],
  ['of /home/ann and ~/work/x', 'of … and x'],
  ['1 /2, and/or, why? /x', '1 /2, and/or, why? /x'],
  ...[
    '500 from POST /speech/tts/jobs (GET /api/x)',
    ...['a/b', '1/2 of it', 'media/a.mp3', 'out/lines/failed.csv', 'https://api.example/home/x'],
  ].map((same) => [same, same]),
  ["run '/home/ann/my/lines.csv' now", "run 'lines.csv' now"],
  ['open C:\\Users\\ann\\lines.csv', 'open lines.csv'],
  [`${process.cwd()}/out/x`, 'x'],
  ['see https://u:p@h.example/a?sig=1#b, ok', 'see https://h.example/a ok'],
])('of %j others see %j', (text, seen) => expect(publicText(text)).toBe(seen));

it('a message is cut once it is clean, so that no half of an address is left', () => {
  const blocks = new RowBlocks({ choice: 'full', hasTexts: true, rows: 1 });
  const _message = `${'x'.repeat(280)} https://user:password@host.example/a`;
  blocks.add(rowOf(1, 'unknown'), { ...FIELDS, _message });
  expect(blocks.rest()?.message[0]).toMatch(/ https:\/\/host\.exampl$/);
});

const FIELDS = {
  _attempts: 1,
  _seconds: 1,
  _credits: 1,
  _error_class: '',
  _message: '',
  _file: '',
} as unknown as ResultFields;

function rowOf(row: number, outcome: 'succeeded' | 'unknown' | 'skipped'): ScannedRow {
  const file = { key: 'k', bytes: 1, sha256: '', extension: 'mp3' };
  const spec = { kind: 'tts', text: 'secret text', extra: {} };
  const known = {
    row,
    id: `r${row}`,
    kind: 'tts',
    outcome,
    state: 'fetching',
    take: 1,
    spec,
    text: null,
    quoted: 1,
    file,
    endedAt: 1,
  };
  return { row: known, charges: [] } as unknown as ScannedRow;
}
