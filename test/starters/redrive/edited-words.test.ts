import { describe, expect, it } from '@jest/globals';
import type { EditedRows } from '../../../batches/redrive/edited-rows.ts';
import { mismatchLines, unusableText } from '../../../starters/redrive/edited-words.ts';

type Mismatched = Extract<EditedRows, { type: 'mismatched' }>;

const file = (...first: Mismatched['first']): Mismatched =>
  ({ type: 'mismatched', first, count: first.length }) as unknown as Mismatched;

describe('a file whose rows cannot be redriven', () => {
  const newName = { line: 3, id: 'c3', type: 'new-name', came: 'name:Eva' } as const;

  it('names the voice that the batch made, where a row asks for it by name', () => {
    expect(mismatchLines(file({ ...newName, made: 'v-9' }), 'cast').join()).toContain(
      'names are looked up only when a batch is made (write v-9, the id of the voice of this name that the batch made)',
    );
    expect(mismatchLines(file(newName), 'cast').join()).toContain('(voxbatch voices list)');
  });

  it('is to be run as a new batch only where its rows are new', () => {
    const isNew = { line: 2, id: 'z', type: 'no-such-row', by: 'id' } as const;
    expect(unusableText(file(isNew), 'f.csv', 'cast')).toMatch(/Run them as a new batch\.$/);
    expect(unusableText(file(newName), 'f.csv', 'cast')).toBe(
      'f.csv has a row that cannot be redriven. Mend it in the file, then run the same command again.',
    );
  });
});
