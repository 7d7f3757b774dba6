import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { lockLedger } from '../../../client/temporal/lock-ledger.ts';
import type { Temporal } from '../../../client/temporal/open-temporal.ts';
import type { LedgerFacts } from '../../../ledger/copy/read-only.ts';
import { fileLocks } from '../../../ledger/sqlite/locks.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

const folder = folderForEach();
let ledger: Parameters<typeof lockLedger>[0];
let standing: LedgerFacts;

beforeEach(async () => {
  const place = folder('ledger.db');
  await writeFile(place, '');
  standing = { id: 'l1', readOnly: undefined, copied: undefined };
  ledger = { id: 'l1', place, ...fileLocks(place), readLedgerFacts: () => Promise.resolve(standing) };
});

const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;

/** An answer by which a server tells no id. */
const refusal = (code: number): Error => Object.assign(new Error('no'), { code, details: 'no', metadata: {} });

/** A way to a server, of which only the name matters here. `id`: that of its namespace, or the code of its refusal. */
function temporal(isEmbedded: boolean, address: string, id: string | number = PERMISSION_DENIED): Temporal {
  const describeNamespace = (): Promise<unknown> =>
    typeof id === 'number' ? Promise.reject(refusal(id)) : Promise.resolve({ namespaceInfo: { id } });
  const client = { workflowService: { describeNamespace } } as unknown as Client;
  return { isEmbedded, address, namespace: 'default', client } as Temporal;
}

const embedded = temporal(true, '127.0.0.1:1', 'id-0');

describe('lockLedger', () => {
  it('lets workers of one home work together, also where the home has two names', async () => {
    const other = folder('link');
    await symlink(folder(), other);
    const unlocks = [await lockLedger(ledger, embedded, folder()), await lockLedger(ledger, embedded, other)];
    for (const unlock of unlocks) unlock();
  });

  it('refuses those of another server, and says whose has it', async () => {
    const cluster = temporal(false, 'cluster:7233', 'id-1');
    const unlock = await lockLedger(ledger, embedded, folder());
    await expect(lockLedger(ledger, cluster, folder())).rejects.toMatchObject({
      problem: {
        type: 'ledger-in-use',
        ledger: ledger.place,
        holder: expect.stringContaining(`the embedded one in ${folder()} (id-0, machine `),
      },
    });
    unlock();
    (await lockLedger(ledger, cluster, folder()))();
  });

  it('refuses those of another host, where the home has the same path', async () => {
    const unlock = await lockLedger(ledger, embedded, folder());
    await expect(lockLedger(ledger, temporal(true, '127.0.0.1:1', 'id-9'), folder())).rejects.toMatchObject({
      problem: { type: 'ledger-in-use', holder: expect.stringContaining(`in ${folder()} (id-0, `) },
    });
    unlock();
  });

  it('refuses those of a clone of the machine, with a copy of the home and of what the server keeps', async () => {
    const on = (machine: string): Promise<() => void> => lockLedger(ledger, embedded, folder(), undefined, machine);
    const unlocks = [await on('one'), await on('one')];
    await expect(on('two')).rejects.toMatchObject({ problem: { type: 'ledger-in-use' } });
    for (const unlock of unlocks) unlock();
    // Nobody works on it any more, as after a restart of the machine.
    (await on('two'))();
  });

  it('refuses those of a copy of the home at the same path, as another container of the machine has it', async () => {
    const home = folder('home');
    await mkdir(home);
    const unlock = await lockLedger(ledger, embedded, home);
    await rename(home, folder('of the other container'));
    await mkdir(home);
    await expect(lockLedger(ledger, embedded, home)).rejects.toMatchObject({ problem: { type: 'ledger-in-use' } });
    unlock();
    (await lockLedger(ledger, embedded, home))();
  });

  it('needs to know which embedded server it is, and locks nothing otherwise', async () => {
    await expect(lockLedger(ledger, temporal(true, '127.0.0.1:1'), folder())).rejects.toMatchObject({
      problem: { type: 'server-gone', address: '127.0.0.1:1' },
    });
    expect(await fileLocks(ledger.place).isWorkedOn()).toBe(false);
  });

  it('looks again once it has the lock: the ledger may have moved since it was opened, or be another', async () => {
    const moved = { type: 'moved', place: '/elsewhere', copy: 'c', at: 1 } as const;
    standing = { ...standing, readOnly: moved };
    await expect(lockLedger(ledger, embedded, folder())).rejects.toThrow('has moved to /elsewhere');
    standing = { ...standing, readOnly: undefined, id: 'l2' };
    await expect(lockLedger(ledger, embedded, folder())).rejects.toThrow('another ledger was copied into it');
    expect(await fileLocks(ledger.place).isWorkedOn()).toBe(false);
  });

  it('knows a namespace by its id, however its address is written, else by the address', async () => {
    const unlocks = [
      await lockLedger(ledger, temporal(false, 'localhost:7233', 'id-1'), folder()),
      await lockLedger(ledger, temporal(false, '127.0.0.1:7233', 'id-1'), folder()),
    ];
    await expect(lockLedger(ledger, temporal(false, 'localhost:7233', 'id-2'), folder())).rejects.toThrow(
      'pay for a row twice',
    );
    await expect(lockLedger(ledger, temporal(false, 'localhost:7233'), folder())).rejects.toThrow(
      'pay for a row twice',
    );
    for (const unlock of unlocks) unlock();
    for (const code of [PERMISSION_DENIED, UNIMPLEMENTED])
      (await lockLedger(ledger, temporal(false, 'localhost:7233', code), folder()))();
  });

  it('locks nothing by the address while the id cannot be read for a moment: others are told it', async () => {
    await expect(lockLedger(ledger, temporal(false, 'localhost:7233', UNAVAILABLE), folder())).rejects.toMatchObject({
      problem: { type: 'server-gone', address: 'localhost:7233' },
    });
    expect(await fileLocks(ledger.place).isWorkedOn()).toBe(false);
  });
});
