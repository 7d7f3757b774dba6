import { expect, it } from '@jest/globals';
import type { SingleRecord } from '../../../client/single/find-single.ts';
import { deliverFile } from '../../../starters/single/deliver.ts';
import { freshPlace } from '../../support/place.ts';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { capture } from '../command-line.ts';

const place = freshPlace();

it('a result for stdout is kept if stdout cannot be written, and the command says so', async () => {
  await addSampleBatch(place);
  const standing = await place.ledger.readRow('demo', 1);
  if (standing === undefined) throw new Error('The batch has a row.');
  const record: SingleRecord = { batch: await place.batch(), ...standing };
  const file = await place.store.put('job/1.mp3', 'ID3');
  const bytes = (): Promise<never> => Promise.reject(new Error('ENOSPC: no space left'));
  const output = { ...capture({ out: '', err: '' }), bytes };
  const how = { store: place.store, output, json: false, isOld: false };
  await expect(deliverFile(record, file, { target: { type: 'stdout' }, force: false }, how)).rejects.toThrow(
    'stdout cannot be written: ENOSPC: no space left. The result is kept: the same command again, or with another -o, hands it out',
  );
});
