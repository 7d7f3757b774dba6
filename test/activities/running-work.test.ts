import { describe, expect, it } from '@jest/globals';
import { RunningWork } from '../../activities/running-work.ts';

/** Work that ends when it is told to. */
function begin(work: RunningWork<string>, name: string): { done: Promise<string>; end: () => void; fail: () => void } {
  let end: () => void = () => undefined;
  let fail: () => void = () => undefined;
  const done = work.track(
    name,
    new Promise<string>((resolve, reject) => {
      end = (): void => {
        resolve(name);
      };
      fail = (): void => {
        reject(new Error(name));
      };
    }),
  );
  return {
    done,
    end: () => {
      end();
    },
    fail: () => {
      fail();
    },
  };
}

describe('RunningWork', () => {
  it('knows work by its name until it ends, well or not', async () => {
    const work = new RunningWork<string>();
    const [one, two] = [begin(work, 'one'), begin(work, 'two')];
    expect([work.isRunning('one'), work.isRunning('two'), work.isRunning('three')]).toEqual([true, true, false]);
    one.end();
    expect(await one.done).toBe('one');
    two.fail();
    await expect(two.done).rejects.toThrow('two');
    expect([work.isRunning('one'), work.isRunning('two')]).toEqual([false, false]);
  });

  it('lets others wait for one, without its error', async () => {
    const work = new RunningWork<string>();
    await work.settled('nothing');
    const one = begin(work, 'one');
    let isSettled = false;
    const waiting = work.settled('one').then(() => (isSettled = true));
    await Promise.resolve();
    expect(isSettled).toBe(false);
    one.fail();
    await expect(one.done).rejects.toThrow('one');
    await waiting;
  });

  it('tells who waits for one what it came to', async () => {
    const work = new RunningWork<string>();
    const one = begin(work, 'one');
    const waiting = work.settled('one');
    one.end();
    expect(await waiting).toBe('one');
    await one.done;
    expect(await work.settled('one')).toBeUndefined();
  });

  it('is idle when all has ended, also what began meanwhile', async () => {
    const work = new RunningWork<string>();
    await work.idle();
    const one = begin(work, 'one');
    const idle = work.idle();
    const two = begin(work, 'two');
    one.end();
    await one.done;
    expect(work.isRunning('two')).toBe(true);
    two.fail();
    await expect(two.done).rejects.toThrow('two');
    await idle;
    expect(work.isRunning('two')).toBe(false);
  });
});
