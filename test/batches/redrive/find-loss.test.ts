import { beforeEach, expect, it } from '@jest/globals';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findDamaged } from '../../../batches/redrive/find-loss.ts';
import { addBatch, finish, keyOf } from '../../results/sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();
let wrongMedia: { readonly row: number; readonly sha256: string }[];
beforeEach(async () => {
  const rows = ['a', 'b', 'c'].map((id) => ({ id, kind: 'tts' as const, input: [id] }));
  await addBatch(place, ['id'], rows);
  const files = await Promise.all([1, 2, 3].map((row) => place.store.put(`demo/${row}.mp3`, `sound ${row}`)));
  for (const [at, file] of files.entries()) await finish(place, keyOf(at + 1), file);
  wrongMedia = files.map(({ sha256 }, at) => ({ row: at + 1, sha256 }));
});

const find = (batch: string | undefined): ReturnType<typeof findDamaged> =>
  findDamaged({ batch, wrongMedia }, { ledger: place.ledger, store: place.store });

it('tells what the store lost or has otherwise from what it still has', async () => {
  await rm(join(place.store.folder, 'demo/1.mp3'));
  await writeFile(join(place.store.folder, 'demo/2.mp3'), 'noise');
  expect(await find('demo')).toEqual([
    { row: 1, id: 'a', is: 'missing' },
    { row: 2, id: 'b', is: 'altered' },
  ]);
});

it('knows nothing of files of a batch that the ledger does not have', async () => {
  expect(await find('other')).toBeUndefined();
  expect(await find(undefined)).toBeUndefined();
});
