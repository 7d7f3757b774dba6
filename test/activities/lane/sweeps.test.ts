import { expect, it, jest } from '@jest/globals';
import { sweep, SWEEP_EVERY_MS } from '../../../activities/lane/sweeps.ts';

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

it('a sweep that takes long is shared until it ends', async () => {
  let end = (): void => undefined;
  let swept = 0;
  const ledger = {
    cancelRest: () => {
      swept += 1;
      return new Promise<number>((resolve) => {
        end = () => {
          resolve(1);
        };
      });
    },
  };
  const first = sweep(ledger, 'a');
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + 10 * SWEEP_EVERY_MS);
  const second = sweep(ledger, 'a');
  end();
  await Promise.all([first, second]);
  expect(swept).toBe(1);
  jest.spyOn(performance, 'now').mockReturnValue(now + 12 * SWEEP_EVERY_MS);
  void sweep(ledger, 'a');
  expect(swept).toBe(2);
});

it('each hears that it failed', async () => {
  const ledger = { cancelRest: () => Promise.reject(new Error('away')) };
  await Promise.all([1, 2].map(() => expect(sweep(ledger, 'a')).rejects.toThrow('away')));
});
