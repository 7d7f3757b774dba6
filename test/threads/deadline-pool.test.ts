import { afterEach, describe, expect, it } from '@jest/globals';
import { pathToFileURL } from 'node:url';
import { DeadlinePool } from '../../threads/deadline-pool.ts';
import { JobOverdue, ThreadDied } from '../../threads/pool-thread.ts';
import { compiledOf } from '../compiled.mjs';

let pool: DeadlinePool<unknown, unknown>;

/** Its seconds are short, but those of a job that hangs never end, and one that is not done in 30 of them is done again. */
function open(secondMs = 40): DeadlinePool<unknown, unknown> {
  const entry = pathToFileURL(compiledOf('test/threads/odd-jobs.ts'));
  pool = new DeadlinePool({ name: 'odd jobs', entry, size: 1, secondMs, mostMegabytes: 64 });
  return pool;
}

afterEach(() => pool.close());

describe('DeadlinePool', () => {
  it.each([
    ['never returns', 'spin'],
    ['only ever waits for itself', 'spin in promises'],
    ['waits for what never comes', 'hang'],
  ])('ends the thread of a job that %s, and does the jobs beside it again', async (_, how) => {
    open();
    const beside = Array.from({ length: 10 }, (_one, at) => pool.run({ do: `job ${at}` }, { bytes: 1 }));
    const hanging = pool.run({ do: how }, { bytes: 1 });
    const behind = Array.from({ length: 10 }, (_one, at) => pool.run({ do: `job ${at}` }, { bytes: 1 }));
    await expect(hanging).rejects.toMatchObject({ hadBegun: true, cause: { name: 'JobOverdue', seconds: 30 } });
    await expect(hanging).rejects.toThrow(ThreadDied);
    const done = Array.from({ length: 10 }, (_one, at) => `job ${at}`);
    expect(await Promise.all([...beside, ...behind])).toEqual([...done, ...done]);
    expect(await pool.run({ do: 'another' }, { bytes: 1 })).toBe('another');
  });

  it('gives a job of many bytes more time', async () => {
    open(5);
    const error: unknown = await pool
      .run({ do: 'spin' }, { bytes: 100_000_000, programSeconds: 7 })
      .catch((e: unknown) => e);
    expect((error as ThreadDied).cause).toEqual(new JobOverdue(137));
  });

  it('knows which job makes its thread die, and does the others again', async () => {
    // Memory fills in a moment, or in seconds where the machine is busy: the deadline must not be first.
    open(4_000);
    const beside = pool.run({ do: 'fine' }, { bytes: 1 });
    await expect(pool.run({ do: 'hoard' }, { bytes: 1 })).rejects.toMatchObject({
      cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' },
    });
    expect(await beside).toBe('fine');
  });

  it('passes on the error of a job, and does not do it again', async () => {
    await expect(open().run({ do: 'fail' }, { bytes: 1 })).rejects.toMatchObject({ message: 'no', code: 'E_ODD' });
  });

  it('waits on closing for what has to be done again', async () => {
    open();
    const beside = pool.run({ do: 'beside' }, { bytes: 1 });
    const hanging = pool.run({ do: 'spin' }, { bytes: 1 });
    const ended = expect(hanging).rejects.toThrow('was not done in 30 s');
    await pool.close();
    expect(await beside).toBe('beside');
    await ended;
  });
});
