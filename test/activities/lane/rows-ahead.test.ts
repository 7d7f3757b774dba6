import { expect, it } from '@jest/globals';
import { RowsAhead } from '../../../activities/lane/rows-ahead.ts';

it('counts rows as what they do as long as they do it, however that ends', async () => {
  const ahead = new RowsAhead();
  const seen = (): readonly number[] => [ahead.count, ahead.awaiting, ahead.short];
  const looking = ahead.while('looking-up', () => Promise.resolve(seen()));
  const waiting = ahead.while('awaiting', () => Promise.reject(new Error('the lane ends')));
  const short = ahead.while('short', () => Promise.resolve('room'));
  expect(seen()).toEqual([1, 1, 1]);
  await expect(waiting).rejects.toThrow('the lane ends');
  expect([await looking, await short]).toEqual([[1, 0, 0], 'room']);
  expect(seen()).toEqual([0, 0, 0]);
});

it('counts those that wait for results as claimed only where they are many', async () => {
  const ahead = new RowsAhead();
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const rows = Array.from({ length: 2_003 }, () => ahead.while('awaiting', () => over));
  expect([ahead.awaiting, ahead.count]).toEqual([2_003, 3]);
  end();
  await Promise.all(rows);
  expect([ahead.awaiting, ahead.count]).toEqual([0, 0]);
});
