import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { OUTCOMES } from '../../contract/outcomes.ts';
import { parseSummary, summarySchema } from '../../results/summary.ts';

const { outcomes } = summarySchema.shape;

describe('a summary of another version', () => {
  it('has no row of an outcome that it does not name, and none of one that is not known', () => {
    const read = outcomes.parse({ succeeded: 3, vanished: 1 });
    expect(Object.keys(read)).toEqual([...OUTCOMES]);
    expect(read).toMatchObject({ succeeded: 3, failed: 0 });
  });

  it('is refused where a count is none', () => expect(outcomes.safeParse({ succeeded: -1 }).success).toBe(false));
});

it('calls the manifest so, and reads it in a summary of before under its former name', async () => {
  const { manifest, ...rest } = JSON.parse(
    await readFile(new URL('golden/summary.json', import.meta.url), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  expect(manifest).toBe('demo.csv');
  expect(parseSummary({ ...rest, source: 'demo.csv' }).data).toEqual(parseSummary({ ...rest, manifest }).data);
  expect(parseSummary({ ...rest, source: 'demo.csv' }).success).toBe(true);
  expect(parseSummary(rest).success).toBe(false);
});
