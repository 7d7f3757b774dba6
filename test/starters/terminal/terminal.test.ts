import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { goOnCommand } from '../../../starters/terminal/words.ts';
import { cutToWidth, tableLines } from '../../../starters/terminal/table.ts';

it('tableLines aligns columns, also beside wide characters, and keeps every row on one line', () => {
  const rows = [
    { name: '语音', count: 7 },
    { name: 'a\nb', count: 1_000 },
  ];
  const lines = tableLines(
    [
      { title: 'name', value: ({ name }) => name },
      { title: 'n', value: ({ count }) => String(count), align: 'right' },
    ],
    rows,
  );
  expect(lines).toEqual(['name     n', '语音     7', 'a b   1000']);
});

// What a terminal shows in so many cells; a table of code points would count 2, 10, 5, 6 and 6.
it.each([
  ['👍🏽', 2],
  ['👨‍👩‍👧', 2],
  ['e\u0301te\u0301', 3],
  ['สวัสดี', 4],
  ['한국어', 6],
])('tableLines, in any script, gives %s %d cells', (text, cells) => {
  const columns = [
    { title: 'x', value: (): string => text },
    { title: 'y', value: (): string => '|' },
  ];
  expect(tableLines(columns, [text])).toEqual([`x${' '.repeat(cells - 1)}  y`, `${text}  |`]);
});

it('a text is cut between characters, by the cells they take', () => {
  expect(['语音语音', 'ab👍🏽c👍🏽'].map((text) => cutToWidth(text, 5))).toEqual(['语音', 'ab👍🏽c']);
});

describe('goOnCommand', () => {
  const plain = { kind: null, defaults: {}, map: {}, tts: 'job' } as const;

  it.each([
    ['lines', 'lines.csv', 'voxbatch run lines.csv'],
    ['lines', 'data/lines.jsonl', 'voxbatch run data/lines.jsonl'],
    ['spring', 'lines.csv', 'voxbatch run lines.csv --name spring'],
    ['line', 'lines.csv', 'voxbatch run lines.csv --name line'],
    ["it's", "my file's.csv", String.raw`voxbatch run 'my file'\''s.csv' --name 'it'\''s'`],
    ['stdin', 'standard input', 'voxbatch run - --name stdin < FILE'],
  ])('of batch %s from %s', (name, source, expected) => {
    expect(goOnCommand({ name, source, subset: null, settings: { reading: plain } })).toBe(expected);
  });

  it('repeats the flags that choose among the rows: without them all would be sent', () => {
    const lines = { name: 'lines', source: 'lines.csv', settings: { reading: plain } };
    expect(goOnCommand({ ...lines, subset: { type: 'limit', rows: 20 } })).toBe('voxbatch run lines.csv --limit 20');
    const sample = { type: 'sample', rows: 20, seed: 7 } as const;
    expect(goOnCommand({ ...lines, subset: sample })).toBe('voxbatch run lines.csv --sample 20 --seed 7');
    expect(goOnCommand({ ...lines, subset: { ...sample, seed: 1 } })).toBe('voxbatch run lines.csv --sample 20');
  });

  it('has no flag but those that there are, and reads no file or value as one', () => {
    const defaults = { 'on-end': 'touch x', voice: '--on-end=touch x' };
    const settings = { reading: { ...plain, defaults } };
    expect(goOnCommand({ name: '--a', source: '--a.csv', subset: null, settings })).toBe(
      "voxbatch run ./--a.csv --name --a '--voice=--on-end=touch x'",
    );
  });

  it('repeats the folder of the files, unless it is the usual one: there they would be left unfinished', () => {
    const lines = { name: 'lines', source: 'lines.csv', subset: null, settings: { reading: plain } };
    expect(goOnCommand(lines, resolve("Ada's results"))).toBe(
      String.raw`voxbatch run lines.csv --out 'Ada'\''s results'`,
    );
    expect(goOnCommand(lines, '/res')).toBe('voxbatch run lines.csv --out /res');
    expect(goOnCommand(lines, resolve('-x'))).toBe('voxbatch run lines.csv --out ./-x');
    for (const usual of ['out/lines', resolve('out/lines'), null, undefined])
      expect(goOnCommand(lines, usual)).toBe('voxbatch run lines.csv');
    expect(goOnCommand({ ...lines, name: 'stdin', source: 'standard input' }, '/res')).toBe(
      'voxbatch run - --name stdin --out /res < FILE',
    );
  });

  it('repeats the flags that shape the rows', () => {
    const reading = { kind: 'tts', defaults: { voice: 'a b' }, map: { text: 'script' }, tts: 'sync' } as const;
    expect(goOnCommand({ name: 'x', source: 'x.csv', subset: null, settings: { reading } })).toBe(
      "voxbatch run x.csv --kind tts --voice 'a b' --map text=script --tts sync",
    );
  });
});
