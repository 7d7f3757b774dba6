import { join } from 'node:path';
import { it } from '@jest/globals';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { expectRun, placeForEach } from '../command-line.ts';

const place = placeForEach();

it('restore shows no table where no batch was open', async () => {
  await addSampleBatch(place);
  await expectRun('backup copy', 0, { out: '1 batch, 0 open' });
  process.env['VOXBATCH_HOME'] = join(process.cwd(), 'other');
  await expectRun('restore copy', 0, { out: 'No row of it was open.\n', not: 'waited' });
});
