import type { BadManifest } from './bad-manifest-cases.ts';

const MB = 1024 * 1024;

/** Ways to get JSON lines wrong, and JSON in a cell. */
export const BAD_JSON: readonly BadManifest[] = [
  {
    what: 'broken JSON',
    content: '{"text":"a","voice":"v"}\n{"text":\n',
    file: 'a.jsonl',
    problems: [[2, '', 'bad-json']],
  },
  {
    what: 'JSON that is no object',
    content: '{"text":"a","voice":"v"}\n\n["a"]\n',
    file: 'a.jsonl',
    problems: [[3, '', 'not-an-object']],
  },
  {
    what: 'a nested value',
    content: '{"text":{"en":"a"},"voice":"v"}\n',
    file: 'a.jsonl',
    problems: [[1, 'text', 'nested-value']],
  },
  {
    what: 'a key twice',
    content: '{"text":"a","voice":"v","text":"b"}\n',
    file: 'a.jsonl',
    problems: [[1, 'text', 'duplicate-key']],
  },
  {
    what: 'a value nested deeper than anything can write it',
    content: `{"text":"a","voice":"v","api.x":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n{"text":"a","voice":"v","_x":${'['.repeat(100)}${']'.repeat(100)}}\n`,
    file: 'a.jsonl',
    problems: [
      [1, '', 'too-deep'],
      [2, '', 'too-deep'],
    ],
  },
  {
    what: 'the same in a cell for the API',
    content: `text,voice,api.x\na,v,${'['.repeat(50_000)}${']'.repeat(50_000)}\n`,
    problems: [[2, 'api.x', 'too-deep']],
  },
  {
    what: 'a line with a text of megabytes',
    content: `{"text":"${'a'.repeat(9 * MB)}","voice":"v"}\n`,
    file: 'a.jsonl',
    problems: [[1, 'text', 'cell-too-long']],
  },
  {
    what: 'half of a surrogate pair',
    content: '{"text":"\\ud83d","voice":"v"}\n',
    file: 'a.jsonl',
    problems: [[1, 'text', 'bad-text']],
  },
  {
    what: 'an escaped NUL',
    content: '{"text":"a\\u0000","voice":"v"}\n',
    file: 'a.jsonl',
    problems: [[1, 'text', 'nul']],
  },
  {
    what: 'a JSON line over 10 MB',
    content: `{"text":"${'x'.repeat(11 * MB)}"}`,
    file: 'a.jsonl',
    problems: [[1, '', 'record-too-long']],
  },
  {
    what: '--map to a key that no line has',
    content: '{"text":"a","voice":"v"}\n',
    file: 'a.jsonl',
    options: { map: { engine: 'model' } },
    problems: [[1, 'model', 'bad-map']],
  },
  {
    what: 'an unknown key under --strict',
    content: '{"text":"a","voice":"v"}\n{"text":"a","voice":"v","spped":1}\n',
    file: 'a.jsonl',
    options: { strict: true },
    problems: [[2, 'spped', 'unknown-column']],
  },
];
