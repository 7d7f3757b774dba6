import { expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { write } from '../../../ledger/database/transactions.ts';
import { CommitUnknown } from '../../../ledger/errors.ts';
import { databaseOf } from '../../../ledger/migrate.ts';
import { openDatabase } from '../../../ledger/open-ledger.ts';
import { postgres } from '../../../ledger/postgres/driver.ts';
import type { Db } from '../../../ledger/schema.ts';
import { endAfterTest } from '../../support/end-after-test.ts';

/** A line to the server that breaks when the answer to the next commit comes, and lets nobody through after that. */
async function breakableLine(): Promise<{ readonly url: string; readonly breakAtCommit: () => void }> {
  const url = new URL(process.env['TEST_POSTGRES'] ?? '');
  const [port, host] = [Number(url.port), url.hostname];
  const sockets = new Set<Socket>();
  let standing: 'up' | 'breaks' | 'down' = 'up';
  const server = createServer((near) => {
    if (standing === 'down') {
      near.destroy();
      return;
    }
    const far = connect(port, host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      if (standing === 'breaks' && bytes.includes('COMMIT\0')) {
        standing = 'down';
        for (const socket of sockets) socket.destroy();
      } else near.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endAfterTest(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  });
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    breakAtCommit: () => {
      standing = 'breaks';
    },
  };
}

/** A write that shows how often it was carried out. */
function addOne(db: Db): Promise<void> {
  return write(db, async (tx) => {
    await tx
      .insertInto('facts')
      .values({ name: 'n', value: '1' })
      .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ value: eb('facts.value', '||', '1') })))
      .execute();
  });
}

it('a write of which nobody can tell whether it was kept is carried out once, and says so', async () => {
  const { url, breakAtCommit } = await breakableLine();
  const schema = `?schema=d${randomUUID().slice(0, 8)}`;
  const place = `${url}${schema}`;
  const opened = await postgres.open(place, { mustExist: false, makesTables: true, patienceMs: 500 });
  const { db } = await databaseOf(opened, postgres, place, { hasReserve: false });
  endAfterTest(() => db.destroy());
  await addOne(db);
  breakAtCommit();
  // Three at once are a group, which is not repeated piece by piece either.
  const told = await Promise.allSettled([addOne(db), addOne(db), addOne(db)]);
  expect(told.map((one) => one.status === 'rejected' && one.reason instanceof CommitUnknown)).toEqual([
    true,
    true,
    true,
  ]);
  const direct = await openDatabase({ place: `${process.env['TEST_POSTGRES'] ?? ''}${schema}`, mustExist: true });
  endAfterTest(() => direct.db.destroy());
  const kept = await direct.db.selectFrom('facts').select('value').where('name', '=', 'n').executeTakeFirst();
  // The first write of a group may have been alone in it.
  expect([2, 4]).toContain(kept?.value.length);
});

it('a process whose clock is a year ahead removes nothing of others', async () => {
  const place = `${process.env['TEST_POSTGRES'] ?? ''}?schema=d${randomUUID().slice(0, 8)}`;
  const one = await openDatabase({ place, mustExist: false, makesTables: true });
  endAfterTest(() => one.db.destroy());
  await addOne(one.db);
  const own = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => own() + 366 * 86_400_000);
  const other = await openDatabase({ place, mustExist: true });
  await addOne(other.db);
  await other.db.destroy();
  jest.restoreAllMocks();
  // Its own mark would be missing otherwise, and the database taken for one that was set back.
  await addOne(one.db);
});
