import { expect, it } from '@jest/globals';
import { SlowQueue, TooManyRequests, type Priority } from '../../page/slow-queue.ts';

const always = (): boolean => true;

/** Asks such questions, all in one moment, and returns the order of the answers. */
async function orderOf(queue: SlowQueue, asked: readonly (readonly [Priority, string])[]): Promise<readonly string[]> {
  const answered: string[] = [];
  const ask = (name: string) => (): Promise<void> => {
    answered.push(name);
    return Promise.resolve();
  };
  await Promise.all(asked.map(([priority, name]) => queue.run(priority, always, ask(name))));
  return answered;
}

it('answers what comes first before what was asked a moment earlier for later, and equals in their order', async () => {
  const queue = new SlowQueue();
  const asked = [
    ['low', 'messages'],
    ['high', 'rows'],
    ['low', 'chart'],
    ['high', 'batches'],
  ] as const;
  expect(await orderOf(queue, asked)).toEqual(['rows', 'batches', 'messages', 'chart']);
  expect(await orderOf(queue, asked)).toEqual(['rows', 'batches', 'messages', 'chart']);
});

it('lets a question for later have its turn while one after the other comes first', async () => {
  const queue = new SlowQueue();
  const answered: string[] = [];
  // As a search does, which asks again as soon as it is answered.
  const search = async (left: number): Promise<void> => {
    if (left === 0) return;
    await queue.run('high', always, () => Promise.resolve(answered.push('search')));
    await search(left - 1);
  };
  const chart = queue.run('low', always, () => Promise.resolve(answered.push('chart')));
  const searches = Array.from({ length: 2 }, async () => search(10));
  await Promise.all([chart, ...searches]);
  expect(answered.indexOf('chart')).toBe(3);
});

it('answers one at a time, and leaves out what nobody waits for any more', async () => {
  const queue = new SlowQueue();
  let [atOnce, most] = [0, 0];
  const ask = async (): Promise<string> => {
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    return 'asked';
  };
  const answers = [queue.run('high', always, ask), queue.run('high', () => false, ask), queue.run('high', always, ask)];
  expect(await Promise.all(answers)).toEqual(['asked', undefined, 'asked']);
  expect(most).toBe(1);
});

it('goes on after a question that failed, and refuses one too many', async () => {
  const queue = new SlowQueue();
  const failing = queue.run('high', always, () => Promise.reject(new Error('no')));
  const others = Array.from({ length: 31 }, (_, at) => queue.run('high', always, () => Promise.resolve(at)));
  await expect(queue.run('high', always, () => Promise.resolve())).rejects.toThrow(TooManyRequests);
  await expect(failing).rejects.toThrow('no');
  expect((await Promise.all(others)).at(-1)).toBe(30);
  expect(await queue.run('low', always, () => Promise.resolve('again'))).toBe('again');
});
