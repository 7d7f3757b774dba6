import { expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { LedgerAway } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { Gate } from '../../support/gate.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aKey, fill, INTENT } from '../setup.ts';

it('a ledger whose server is away is closed all the same', async () => {
  const url = new URL(`${process.env['TEST_POSTGRES'] ?? ''}?schema=c${randomUUID().slice(0, 8)}`);
  const gate = new Gate(Number(url.port));
  await gate.open();
  endAfterTest(() => gate.shut());
  url.port = String(gate.port);
  const ledger = await openLedger(url.href, { makesTables: true });
  await gate.shut();
  const waiting = expect(ledger.findBatch('b')).rejects.toBeInstanceOf(LedgerAway);
  await waitFor(async () => (await ledger.outage()) !== undefined);
  await expect(ledger.close()).rejects.toBeInstanceOf(LedgerAway);
  await waiting;
  await gate.open();
  await expect(ledger.findBatch('b')).rejects.toThrow('driver has already been destroyed');
});

// Shorter than a statement may take in a process that goes on.
it('a process that must end gives up what a silent line owes it, and asks for nothing more', async () => {
  const url = new URL(`${process.env['TEST_POSTGRES'] ?? ''}?schema=c${randomUUID().slice(0, 8)}`);
  const gate = new Gate(Number(url.port));
  await gate.open();
  endAfterTest(() => {
    gate.cut();
  });
  url.port = String(gate.port);
  const ledger = await openLedger(url.href, { makesTables: true, waits: true });
  await fill(ledger, 1);
  gate.hush();
  gate.refuse();
  const intent = expect(ledger.intend(aKey(1), INTENT)).rejects.toBeInstanceOf(LedgerAway);
  await ledger.stopWaiting();
  await intent;
  const query = jest.spyOn(pg.Client.prototype, 'query');
  endAfterTest(() => {
    query.mockRestore();
  });
  await ledger.close().catch(() => undefined);
  expect(query).not.toHaveBeenCalled();
}, 50_000);
