import { expect, it } from '@jest/globals';
import { RowsBeforeWindow } from '../../../activities/lane/rows-before-window.ts';

it('counts rows as what they do as long as they do it, however that ends', async () => {
  const rows = new RowsBeforeWindow();
  const seen = (): readonly number[] => [rows.count, rows.awaiting, rows.short];
  const looking = rows.countDuring('looking-up', () => Promise.resolve(seen()));
  const waiting = rows.countDuring('awaiting', () => Promise.reject(new Error('the lane ends')));
  const short = rows.countDuring('short', () => Promise.resolve('room'));
  expect(seen()).toEqual([1, 1, 1]);
  await expect(waiting).rejects.toThrow('the lane ends');
  expect([await looking, await short]).toEqual([[1, 0, 0], 'room']);
  expect(seen()).toEqual([0, 0, 0]);
});

it('counts those that wait for results as claimed only where they are many', async () => {
  const rows = new RowsBeforeWindow();
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const waits = Array.from({ length: 2_003 }, () => rows.countDuring('awaiting', () => over));
  expect([rows.awaiting, rows.count]).toEqual([2_003, 3]);
  end();
  await Promise.all(waits);
  expect([rows.awaiting, rows.count]).toEqual([0, 0]);
});
