import { expect, it } from '@jest/globals';
import { checkEnds } from './check-world.ts';

function end(code: number | null, fields: object = {}): Parameters<typeof checkEnds>[0][number] {
  return { name: 'worker', pid: 7, at: 0, code, signal: null, wanted: false, ranMs: 90_000, ...fields };
}

it('a command may end as it was told, when its batch is complete, or while it starts and something is away', () => {
  const ends = [end(null, { wanted: true }), end(0), end(13), end(4, { ranMs: 9_000 })];
  expect(checkEnds(ends).broken).toEqual([]);
});

it('no command may end by itself in any other way', () => {
  const ends = [end(1, { ranMs: 100 }), end(null, { signal: 'SIGSEGV' }), end(4)];
  expect(checkEnds(ends).broken).toEqual([
    'worker (pid 7) ended with exit 1 after 0 s',
    'worker (pid 7) ended with SIGSEGV after 90 s',
    'worker (pid 7) ended with exit 4 after 90 s',
  ]);
});
