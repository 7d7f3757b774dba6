import { beforeEach, expect, it } from '@jest/globals';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

/** The file by which a ledger knows that it has had a store. */

const place = freshPlace();
beforeEach(async () => {
  expect(await place.ledger.findStoredFile()).toBeUndefined();
  await addSampleBatch(place);
});

it('is one of a batch with a result', async () => {
  expect(await place.ledger.findStoredFile()).toEqual({ batch: 'demo', key: expect.stringMatching(/^demo\/\d+-/) });
});

it('is none that was removed on purpose', async () => {
  const { ledger } = place;
  const { rows } = await place.batch();
  expect(await ledger.beginClean('demo', { media: true, rows: false })).toMatchObject({ type: 'begun' });
  const all = Array.from({ length: rows }, (_, index) => index + 1);
  await ledger.cleanRows('demo', all);
  await ledger.endClean('demo');
  expect(await ledger.findStoredFile()).toBeUndefined();
});
