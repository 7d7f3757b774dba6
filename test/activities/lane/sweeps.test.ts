import { expect, it } from '@jest/globals';
import { sweep } from '../../../activities/lane/sweeps.ts';

function countingLedger() {
  const swept: string[] = [];
  return {
    swept,
    cancelRest: (batch: string): Promise<number> => Promise.resolve(swept.push(batch)),
  };
}

it('the lanes of a process share one sweep of a stopping batch', async () => {
  const ledger = countingLedger();
  await Promise.all(['a', 'b', 'a'].map((batch) => sweep(ledger, batch)));
  await sweep(ledger, 'a');
  expect(ledger.swept).toEqual(['a', 'b']);
  const other = countingLedger();
  await sweep(other, 'a');
  expect(other.swept).toEqual(['a']);
});

it('each hears that it failed', async () => {
  const ledger = { cancelRest: () => Promise.reject(new Error('away')) };
  await Promise.all([1, 2].map(() => expect(sweep(ledger, 'a')).rejects.toThrow('away')));
});
