import { expect, it } from '@jest/globals';
import { findNameClashes, type NameClash } from '../../../batches/redrive/name-clashes.ts';
import type { FoundRow } from '../../../batches/redrive/selection.ts';
import { addBatch } from '../../results/sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

const ROWS = [
  { id: 'a', kind: 'tts', input: ['a', 'one'] },
  { id: 'b', kind: 'tts', input: ['b', 'two'] },
] as const;

const place = freshPlace();

/** Clashes where the second row is edited to have this text. */
async function clashes(template: string, text: string): Promise<readonly NameClash[]> {
  await addBatch(place, ['id', 'text'], ROWS, template);
  const batch = await place.batch();
  const scanned = await place.ledger.readRow('demo', 2);
  if (scanned === undefined) throw new Error('expected the row');
  const spec = { kind: 'tts', text, extra: {} } as const;
  const found: FoundRow = { scanned, edit: { spec, input: ['b', text], quoted: 1, from: 'speech' } };
  return findNameClashes([found], place.ledger, batch);
}

it('names the row whose result would get the name of another one', async () => {
  expect(await clashes('{text}.{ext}', 'ONE')).toEqual([
    { type: 'same-name', row: 2, id: 'b', other: 1, name: 'ONE.{ext}' },
  ]);
});

it.each([
  ['{text}.{ext}', 'three'],
  ['{text}-{id}.{ext}', 'one'],
  ['{id}.{ext}', 'one'],
])('finds none with %s and the text %s', async (template, text) => {
  expect(await clashes(template, text)).toEqual([]);
});
