/** @slow */
import { afterEach, describe, expect, it } from '@jest/globals';
import { pathToFileURL } from 'node:url';
import { DeadlinePool } from '../../threads/thread-pool.ts';
import { compiledOf } from '../compiled.mjs';

let pool: DeadlinePool<unknown>;

/** Its seconds are short, but those of a job that hangs never end, and one that is not done in 30 of them is done again. */
function open(secondMs = 40): DeadlinePool<unknown> {
  const entry = pathToFileURL(compiledOf('test/threads/odd-jobs.ts'));
  pool = new DeadlinePool({ name: 'odd jobs', entry, size: 1, secondMs, maxMegabytes: 64 });
  return pool;
}

/** What comes of a job, in words if it ended its thread. */
function run(what: string, bytes = 1): Promise<unknown> {
  return pool.run<unknown>({ do: what }, bytes, { runHere: () => Promise.resolve('here'), unread: (why) => why });
}

afterEach(() => pool.close());

describe('DeadlinePool', () => {
  it.each([
    ['never returns', 'spin'],
    ['only ever waits for itself', 'spin in promises'],
    ['waits for what never comes', 'hang'],
  ])('ends the thread of a job that %s, and does the jobs beside it again', async (_, how) => {
    open();
    const beside = Array.from({ length: 10 }, (_one, at) => run(`job ${at}`));
    const hanging = run(how);
    const behind = Array.from({ length: 10 }, (_one, at) => run(`job ${at}`));
    expect(await hanging).toBe('could not be read in 30 s');
    const done = Array.from({ length: 10 }, (_one, at) => `job ${at}`);
    expect(await Promise.all([...beside, ...behind])).toEqual([...done, ...done]);
    expect(await run('another')).toBe('another');
  });

  it('gives a job of many bytes more time', async () => {
    open(5);
    expect(await run('spin', 100_000_000)).toBe('could not be read in 130 s');
  });

  it('knows which job makes its thread die, and does the others again', async () => {
    // Memory fills in a moment, or in seconds where the machine is busy: the deadline must not be first.
    open(4_000);
    const beside = run('fine');
    expect(await run('hoard')).toBe('could not be read in 64 MB of memory');
    expect(await beside).toBe('fine');
  });

  it('passes on the error of a job, and does not do it again', async () => {
    open();
    await expect(run('fail')).rejects.toMatchObject({ message: 'no', code: 'E_ODD' });
  });

  it('waits on closing for what has to be done again', async () => {
    open();
    const beside = run('beside');
    const hanging = run('spin');
    await pool.close();
    expect(await beside).toBe('beside');
    expect(await hanging).toBe('could not be read in 30 s');
    await expect(run('late')).rejects.toThrow('they were closed');
  });

  it('does the work itself without a thread, or where its code cannot be loaded', async () => {
    for (const entry of [undefined, pathToFileURL(compiledOf('none.ts'))]) {
      pool = new DeadlinePool({ name: 'none', entry, size: 1, maxMegabytes: 64 });
      expect(await run('anything')).toBe('here');
      await pool.close();
    }
  });
});
