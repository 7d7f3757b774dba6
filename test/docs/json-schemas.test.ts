import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'csv-parse/sync';
import { readdirSync, readFileSync } from 'node:fs';
import { COLUMN_CELLS } from '../../contract/row-kinds.ts';
import { JSON_SCHEMAS, textOf } from './json-schemas.ts';
import { pathOf, readPage } from './pages.ts';

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);

/** What the published schema says is wrong with a value. */
function wrongIn(file: string, value: unknown): unknown {
  const path = pathOf(`schemas/${file}`);
  const validate =
    ajv.getSchema(path) ?? ajv.addSchema(JSON.parse(readFileSync(path, 'utf8')) as object, path).getSchema(path);
  if (validate === undefined) throw new Error(`${file} is no schema`);
  return validate(value) ? [] : validate.errors;
}

function linesOf(file: string): readonly unknown[] {
  return readPage(file)
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

describe('the JSON Schemas of the package', () => {
  it('are made from the code (if not: npm run docs)', () => {
    const published = Object.fromEntries(
      Object.keys(JSON_SCHEMAS).map((file) => [file, readFileSync(pathOf(`schemas/${file}`), 'utf8')]),
    );
    const made = Object.entries(JSON_SCHEMAS).map(([file, schema]) => [file, textOf(schema)]);
    expect(published).toEqual(Object.fromEntries(made));
  });

  it('fit the files that a batch writes', () => {
    const golden = 'test/results/golden';
    expect(linesOf(`${golden}/results.jsonl`).flatMap((line) => wrongIn('result.schema.json', line))).toEqual([]);
    expect(linesOf(`${golden}/receipts.jsonl`).flatMap((line) => wrongIn('receipt.schema.json', line))).toEqual([]);
    expect(wrongIn('summary.schema.json', JSON.parse(readPage(`${golden}/summary.json`)))).toEqual([]);
  });

  it.each(readdirSync(pathOf('inputs/examples')).filter((file) => file.endsWith('.csv')))(
    'fit each row of the example %s',
    (file) => {
      const rows = parse(readPage(`inputs/examples/${file}`), { columns: true, bom: true });
      expect(rows.length).toBeGreaterThan(0);
      // Each without its empty cells, as a line of JSON would have it.
      for (const row of rows as Record<string, string>[]) {
        const cells = Object.entries(row).map(([name, cell]) => [
          name,
          new Map(Object.entries(COLUMN_CELLS)).get(name) === 'number' && cell !== '' ? Number(cell) : cell,
        ]);
        expect(wrongIn('manifest.schema.json', Object.fromEntries(cells))).toEqual([]);
      }
    },
  );

  it.each([
    ['a kind that there is not', { kind: 'song', text: 'a' }],
    ['a row without what its kind needs', { kind: 'lip-sync', video: 'https://x.example/a.mp4' }],
    ['an empty text', { kind: 'tts', text: ' ', voice: 'v' }],
    ['a local file', { audio: '/home/me/a.wav' }],
    ['a speed out of bounds', { text: 'a', speed: 7 }],
    ['an object in a column that is not for the API', { text: 'a', note: { a: 1 } }],
  ])('refuse %s', (_, line) => expect(wrongIn('manifest.schema.json', line)).not.toEqual([]));

  it('take what a line may have besides', () => {
    const line = { kind: 'tts', text: 'a', 'api.style': { mood: 'calm' }, _note: ['mine'], chapter: 3, id: 7 };
    expect(wrongIn('manifest.schema.json', line)).toEqual([]);
  });

  it('know every setting, and no other', () => {
    const example = /```json\n(.*?)```/s.exec(readPage('docs/guide/config.md'))?.[1] ?? '';
    const config: object = { $schema: 'x', halt: 'soon,fail=5%', ...(JSON.parse(example) as object) };
    expect(wrongIn('config.schema.json', config)).toEqual([]);
    expect(wrongIn('config.schema.json', { ...config, token: 'x' })).not.toEqual([]);
    expect(wrongIn('config.schema.json', { limits: { rate: 0 } })).not.toEqual([]);
  });
});
