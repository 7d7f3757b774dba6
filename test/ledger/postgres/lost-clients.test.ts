import { expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { BEGIN_WRITING } from '../../../ledger/postgres/sessions.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { Gate } from '../../support/gate.ts';
import { waitFor } from '../../support/wait-for.ts';
import { fill, INTENT, aKey } from '../setup.ts';
import { openOther, waitingWriters } from './waiting-writers.ts';

/** A new ledger, and a session of somebody else at it. */
async function makeLedger() {
  const schema = `w${randomUUID().slice(0, 8)}`;
  const url = new URL(`${process.env['TEST_POSTGRES'] ?? ''}?schema=${schema}`);
  await (await openLedger(url.href, { makesTables: true })).close();
  return { url, other: await openOther(schema) };
}

it('a session that waits for the lock ends when its client has gone, although the lock is still held', async () => {
  const { url, other } = await makeLedger();
  const gate = new Gate(Number(url.port));
  await gate.open();
  endAfterTest(() => gate.shut());
  url.port = String(gate.port);
  const ledger = await openLedger(url.href);
  await fill(ledger, 1);
  await other.query(BEGIN_WRITING);
  const intent = ledger.intend(aKey(1), INTENT).catch(() => 'gone');
  await waitFor(async () => (await waitingWriters(other)) === 1);
  await gate.shut();
  expect(await intent).toBe('gone');
  await waitFor(async () => (await waitingWriters(other)) === 0);
  await ledger.close().catch(() => undefined);
}, 60_000);

it('a server that cannot look after its clients so is used all the same', async () => {
  const { url } = await makeLedger();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- Called with its client below.
  const { query } = pg.Client.prototype;
  let refused = 0;
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const isIt = typeof args[0] === 'string' && args[0].startsWith('set client_connection_check_interval');
    // A value that every server refuses.
    if (isIt) refused += 1;
    return Reflect.apply(query, this, isIt ? ["set client_connection_check_interval = '-1'"] : args) as never;
  });
  endAfterTest(() => {
    spy.mockRestore();
  });
  const ledger = await openLedger(url.href);
  await fill(ledger, 1);
  expect((await ledger.intend(aKey(1), INTENT)).type).toBe('go');
  await ledger.close();
  expect(refused).toBeGreaterThan(0);
});
