import { describe, expect, it } from '@jest/globals';
import type { SingleRecord } from '../../../client/single/find-single.ts';
import type { ResultFile } from '../../../ledger/record-types.ts';
import { giveFile } from '../../../starters/single/give.ts';
import { freshPlace } from '../../support/place.ts';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { capture } from '../command-line.ts';

const place = freshPlace();

async function recorded(): Promise<{ readonly record: SingleRecord; readonly file: ResultFile }> {
  await addSampleBatch(place);
  const standing = await place.ledger.readRow('demo', 1);
  if (standing === undefined) throw new Error('The batch has a row.');
  return { record: { batch: await place.batch(), ...standing }, file: await place.store.put('job/1.mp3', 'ID3') };
}

describe('a result for stdout', () => {
  it('is kept if stdout cannot be written, and the command says so', async () => {
    const { record, file } = await recorded();
    const output = {
      ...capture({ out: '', err: '' }),
      bytes: () => Promise.reject(new Error('ENOSPC: no space left')),
    };
    const giving = giveFile(
      record,
      file,
      { target: { type: 'stdout' }, force: false },
      { store: place.store, output, json: false, isOld: false },
    );
    await expect(giving).rejects.toThrow(
      'stdout cannot be written: ENOSPC: no space left. The result is kept: the same command again, or with another -o, hands it out',
    );
  });
});
