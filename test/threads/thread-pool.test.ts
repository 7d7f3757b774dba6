import { afterEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { findThreadEntry } from '../../threads/find-entry.ts';
import { ThreadDied } from '../../threads/pool-thread.ts';
import { ThreadPool, type PoolOptions } from '../../threads/thread-pool.ts';
import { compiledOf } from '../compiled.mjs';

interface Told {
  readonly threadId: number;
  readonly workerData: unknown;
  readonly env: readonly string[];
}

const ENTRY = pathToFileURL(compiledOf('test/threads/odd-jobs.ts'));
const pools: ThreadPool<unknown, unknown>[] = [];

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

function open(options: Partial<PoolOptions> = {}): ThreadPool<unknown, unknown> {
  const pool = new ThreadPool<unknown, unknown>({ name: 'odd jobs', entry: ENTRY, size: 2, ...options });
  pools.push(pool);
  return pool;
}

describe('ThreadPool', () => {
  it('does jobs in other threads, which know no environment', async () => {
    const pool = open({ data: { folder: '/x' } });
    const told = (await pool.run({ do: 'tell' })) as Told;
    expect(told).toMatchObject({ workerData: { folder: '/x' }, env: [] });
    expect(told.threadId).toBeGreaterThan(0);
  });

  it('keeps to its size, and starts no second thread for what one can take', async () => {
    const pool = open({ size: 2 });
    const one = [(await pool.run({ do: 'tell' })) as Told, (await pool.run({ do: 'tell' })) as Told];
    expect(new Set(one.map(({ threadId }) => threadId)).size).toBe(1);
    const several = (await Promise.all(Array.from({ length: 20 }, () => pool.run({ do: 'tell' })))) as Told[];
    expect(new Set(several.map(({ threadId }) => threadId)).size).toBe(2);
  });

  it('passes an error on with its name, members and cause, or as the owner makes it', async () => {
    await expect(open().run({ do: 'fail' })).rejects.toMatchObject({
      message: 'no',
      code: 'E_ODD',
      path: '/odd',
      cause: { name: 'RangeError', message: 'too odd' },
    });
    const toError = ({ members }: { readonly members: Readonly<Record<string, unknown>> }): Error =>
      new TypeError(String(members['code']));
    await expect(open({ toError }).run({ do: 'fail' })).rejects.toThrow(TypeError);
  });

  it.each([
    ['crash', 'out of wits'],
    ['exit', 'exit code 7'],
  ])('rejects what a thread had in hand when it dies (%s), and replaces it', async (how, words) => {
    const pool = open({ size: 1 });
    const first = (await pool.run({ do: 'tell' })) as Told;
    const lost = [pool.run({ do: 'wait' }), pool.run({ do: how })];
    for (const one of lost) {
      await expect(one).rejects.toThrow(ThreadDied);
      await expect(one).rejects.toThrow(words);
    }
    const next = (await pool.run({ do: 'tell' })) as Told;
    expect(next.threadId).not.toBe(first.threadId);
  });

  it('begins no job in a thread that cannot load its code', async () => {
    const pool = open({ entry: new URL('none.js', ENTRY) });
    await expect(pool.run({ do: 'tell' })).rejects.toMatchObject({ hadLoaded: false });
  });

  it('rejects a job that cannot be posted, and goes on', async () => {
    const pool = open({ size: 1 });
    const odd = pool.run({ do: () => undefined });
    const other = pool.run({ do: 'fine' });
    await expect(odd).rejects.toThrow('could not be cloned');
    expect(await other).toBe('fine');
    await expect(pool.run({ do: () => undefined })).rejects.toThrow('could not be cloned');
  });

  it('waits on closing for what is under way, and takes nothing more', async () => {
    const pool = open();
    const running = pool.run({ do: 'bring me' });
    await pool.close();
    expect(await running).toBe('bring me');
    await expect(pool.run({ do: 'tell' })).rejects.toThrow('closed');
  });

  it('keeps a process alive while it works, and not a moment longer', () => {
    const script = [
      `import { ThreadPool } from ${JSON.stringify(pathToFileURL(compiledOf('threads/thread-pool.ts')))};`,
      `const pool = new ThreadPool({ name: 'odd jobs', size: 1, entry: new URL(${JSON.stringify(ENTRY)}) });`,
      `console.log(await pool.run({ do: 'done' }));`,
    ].join('\n');
    const ran = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    expect(ran).toMatchObject({ status: 0, stdout: 'done\n', stderr: '' });
  });
});

it('findThreadEntry finds the entry from a module of its room and from a bundle; none from TypeScript', () => {
  const at = (path: string): string => new URL(path, `${pathToFileURL(compiledOf('.')).href}/`).href;
  const found = at('test/threads/odd-jobs.js');
  expect(String(findThreadEntry(at('test/store/store.js'), 'threads/odd-jobs'))).toBe(found);
  expect(String(findThreadEntry(at('test/client/webhooks/webhook-listener.js'), 'threads/odd-jobs'))).toBe(found);
  expect(String(findThreadEntry(at('test/bundle.js'), 'threads/odd-jobs'))).toBe(found);
  expect(findThreadEntry(at('test/bundle.js'), 'threads/none')).toBeUndefined();
  expect(findThreadEntry(at('test/store/store.ts'), 'threads/odd-jobs')).toBeUndefined();
});
