import { expect, it } from '@jest/globals';
import { KernelLock } from '../../../embedded/kernel-lock.ts';
import { accept, addBatch, keyOf } from '../../results/sample-batch.ts';
import { expectRun, placeAtSimulator } from '../command-line.ts';

const { place } = placeAtSimulator();

it('of a row whose job runs, explain says until when it is waited for and what ends that, and redrive how to end the batch first', async () => {
  await addBatch(place, ['id'], [{ id: 'a', kind: 'tts', input: ['a'] }]);
  // Somebody works on it.
  const member = new KernelLock(`${place.ledger.place}.lock`);
  member.tryShared();
  try {
    await expectRun('explain a', 0, { out: 'It is in progress. If the batch has no worker' });
    await accept(place, keyOf(1));
    const stuck =
      /Its job is waited for until \S+Z; then the row ends overdue\. To end that now, .*: voxbatch stop demo --now\. /;
    await expectRun('explain a', 0, { out: stuck });
    const left = 'To end the batch first (what runs is fetched later, free): voxbatch stop demo --now.';
    await expectRun('redrive demo --rows a --dry-run', 0, { out: [/1 row left out: not ended yet/, left] });
    expect(await place.ledger.counts('demo')).toMatchObject({ states: { processing: 1 } });
  } finally {
    member.close();
  }
});
