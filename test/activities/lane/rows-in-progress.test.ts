import { expect, it } from '@jest/globals';
import { RowsInProgress } from '../../../activities/lane/rows-in-progress.ts';

it('a row that is claimed again before its former work is over keeps its id until none is left', async () => {
  const rows = new RowsInProgress();
  const slice = new AbortController().signal;
  const ends: (() => void)[] = [];
  const work = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  for (let times = 0; times < 2; times++) rows.add({ row: 7, id: 'a7' }, work, slice);
  const [former] = rows.pending;
  ends[0]?.();
  await former;
  expect(rows.idOf(7)).toBe('a7');
  ends[1]?.();
  await Promise.all(rows.pending);
  expect([rows.idOf(7), rows.done]).toEqual([undefined, 2]);
});
