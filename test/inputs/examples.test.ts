import { describe, expect, it } from '@jest/globals';
import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { kindFactsOf, KINDS, columnsOfKind, type Kind } from '../../contract/row-kinds.ts';
import { EXAMPLES } from '../../starters/tools/examples.ts';
import { loadFile } from './manifest-file.ts';

const FOLDER = fileURLToPath(new URL('../../inputs/examples/', import.meta.url));

describe('examples', () => {
  it('are one of each kind, the tasks that are scheduled, and the demo', async () => {
    const files = [...[...EXAMPLES, 'demo'].map((name) => `${name}.csv`), 'samples'];
    expect((await readdir(FOLDER)).sort()).toEqual(files.sort());
  });

  const TASKS = ['nightly-catalogue', 'weekly-digest'];
  it.each([...KINDS, ...TASKS])('%s.csv is sound, also under --strict, and explains itself in _note', async (name) => {
    const { rows, summary } = await loadFile(`${FOLDER}${name}.csv`, { strict: true });
    expect(rows.length).toBeGreaterThan(TASKS.includes(name) ? 4 : 1);
    if (TASKS.includes(name)) expect(summary.unpriced).toBe(0);
    else expect(summary.kinds[name as Kind]?.rows).toBe(rows.length);
    expect(summary.warnings).toEqual([]);
    expect(await readFile(`${FOLDER}${name}.csv`, 'utf8')).toMatch(/^_note,/);
  });

  it('demo.csv has about 30 rows of all kinds that columns tell, with everything that is hard to read', async () => {
    const { rows, summary } = await loadFile(`${FOLDER}demo.csv`, { strict: true });
    expect(rows.length).toBeGreaterThanOrEqual(28);
    expect(rows.length).toBeLessThanOrEqual(32);
    // It has no files of its own.
    const isOfColumns = (kind: Kind): boolean => !columnsOfKind(kind).required.includes('samples');
    for (const kind of KINDS.filter((one) => kindFactsOf(one).onlyByName !== true && isOfColumns(one)))
      expect(summary.kinds[kind]?.rows).toBeGreaterThanOrEqual(3);
    expect(summary.unpriced).toBe(0);
    expect(summary.warnings).toEqual([]);
    const texts = rows.map((row) => row.spec.text ?? '');
    for (const needed of [/^=/, /\n/, /"/, /\p{Script=Han}/u, /\p{Script=Hangul}/u, /\p{Script=Cyrillic}/u, /🎉/u])
      expect(texts.some((text) => needed.test(text))).toBe(true);
  });
});
