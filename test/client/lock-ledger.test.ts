import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { lockLedger, isWorkedOn } from '../../client/lock-ledger.ts';
import type { Temporal } from '../../client/open-temporal.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-hold-'));
  file = join(folder, 'ledger.db');
  await writeFile(file, '');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A way to a server, of which only the name matters here. */
function temporal(isEmbedded: boolean, address: string, id?: string): Temporal {
  const describeNamespace = (): Promise<unknown> =>
    id === undefined ? Promise.reject(new Error('not allowed')) : Promise.resolve({ namespaceInfo: { id } });
  const client = { workflowService: { describeNamespace } } as unknown as Client;
  return { isEmbedded, address, namespace: 'default', client } as Temporal;
}

const embedded = temporal(true, '127.0.0.1:1');

describe('holdLedger', () => {
  it('lets workers of one home work together, also where the home has two names', async () => {
    const other = join(folder, 'link');
    await symlink(folder, other);
    const releases = [
      await lockLedger(file, embedded, folder),
      await lockLedger(join(other, 'ledger.db'), embedded, other),
    ];
    expect(isWorkedOn(join(other, 'ledger.db'))).toBe(true);
    for (const release of releases) release();
    expect(isWorkedOn(file)).toBe(false);
  });

  it('is not kept off by one who only looks, nor by a note of long ago', async () => {
    (await lockLedger(file, temporal(false, 'gone:7233', 'id-9'), folder))();
    const looking = new KernelLock(`${file}.lock`);
    expect(looking.tryAlone()).toBe(true);
    const holding = lockLedger(file, embedded, folder);
    await new Promise(setImmediate);
    looking.close();
    (await holding)();
  });

  it('leaves nothing behind where somebody looks at a ledger that nobody worked on', () => {
    expect(isWorkedOn(file)).toBe(false);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('refuses those of another server until the last has gone', async () => {
    const cluster = temporal(false, 'cluster:7233', 'id-1');
    const releases = [await lockLedger(file, embedded, folder), await lockLedger(file, embedded, folder)];
    releases[0]?.();
    await expect(lockLedger(file, cluster, folder)).rejects.toMatchObject({
      problem: { type: 'ledger-in-use', ledger: file, holder: `the embedded one in ${folder}` },
    });
    releases[1]?.();
    const release = await lockLedger(file, cluster, folder);
    await expect(lockLedger(file, embedded, folder)).rejects.toThrow('namespace default (id-1)');
    release();
  });

  it('knows a namespace by its id, however its address is written, else by the address', async () => {
    const releases = [
      await lockLedger(file, temporal(false, 'localhost:7233', 'id-1'), folder),
      await lockLedger(file, temporal(false, '127.0.0.1:7233', 'id-1'), folder),
    ];
    await expect(lockLedger(file, temporal(false, 'localhost:7233', 'id-2'), folder)).rejects.toThrow(
      'pay for a row twice',
    );
    await expect(lockLedger(file, temporal(false, 'localhost:7233'), folder)).rejects.toThrow('pay for a row twice');
    for (const release of releases) release();
    (await lockLedger(file, temporal(false, 'localhost:7233'), folder))();
  });
});
