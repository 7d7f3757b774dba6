import { expect, it } from '@jest/globals';
import { addBatch } from '../../results/sample-batch.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';

const place = placeForEach();

it('status says why the last worker ended, and how long ago, until another one begins', async () => {
  await addBatch(place, ['id', 'text'], [{ id: 'a', kind: 'tts', input: ['a', 'one'] }]);
  const { apiUrl = '', account = '' } = (await place.ledger.findBatch('demo')) ?? {};
  const worker = { owner: 'w', apiUrl, account };
  await place.ledger.noteWorkerEnd(worker, 'The disk is full');
  await expectRun('status', 75, {
    out: /It has no worker\. The last worker ended 0:\d\d ago: The disk is full\. Continue with: voxbatch run demo.csv/,
  });
  expect((await json('status')).value).toMatchObject({ worker_end: { reason: 'The disk is full' } });
  await place.ledger.forgetWorkers({ owner: 'w' });
  await expectRun('status', 75, { not: 'The last worker' });
});
