import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { findNameClashes, type NameClash } from '../../batches/name-clashes.ts';
import type { FoundRow } from '../../batches/redrive-draft.ts';
import { addBatch, openPlace, type Place } from '../results/sample-batch.ts';

const ROWS = [
  { id: 'a', kind: 'tts', input: ['a', 'one'] },
  { id: 'b', kind: 'tts', input: ['b', 'two'] },
] as const;

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place.close());

/** Clashes where the second row is edited to have this text. */
async function clashes(template: string, text: string): Promise<readonly NameClash[]> {
  await addBatch(place, ['id', 'text'], ROWS, template);
  const batch = await place.ledger.findBatch('demo');
  const scanned = await place.ledger.readRow('demo', 2);
  if (batch === undefined || scanned === undefined) throw new Error('expected the batch and its row');
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
