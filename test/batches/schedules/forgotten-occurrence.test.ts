import { expect, it } from '@jest/globals';
import { ANN } from '../../support/ann.ts';
import { freshPlace } from '../../support/place.ts';
import { fireIn } from './fire-in.ts';

const place = freshPlace();

it('an occurrence whose batch an accepted copy lacks is refused where the store has its results, for it was paid for', async () => {
  const paid = 'nightly.2026-01-01T00-00-00Z-0123456789';
  await place.store.put(`${paid}/0000/1-speech-1.mp3`, 'paid');
  await place.ledger.acceptCopy(ANN);
  await place.ledger.clearDoubts(ANN);
  const refused = { type: 'refused', reason: expect.stringContaining(`has results of this batch (${paid})`) };
  expect(await fireIn(place, { schedule: 'nightly' })).toMatchObject(refused);
  expect(await place.ledger.listBatches()).toEqual([]);
  expect(await fireIn(place, { schedule: 'other' })).toMatchObject({ type: 'opened' });
  expect(await fireIn(place, { schedule: 'nightly', cache: 'only' })).toMatchObject({ type: 'opened' });
});
