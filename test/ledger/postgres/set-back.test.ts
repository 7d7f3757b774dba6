/** @slow */
import { expect, it } from '@jest/globals';
import { byItself } from '../../../contract/actions.ts';
import { LedgerAway } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aKey, fill, INTENT } from '../setup.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';

it('a process that begins after the disk of the server was set back sends nothing either, until a person has accepted that', async () => {
  const server = await postgresForTest();
  const worker = await openLedger(server.url, { makesTables: true });
  await fill(worker, 2);
  server.kill();
  const setBack = server.keepFiles();
  await server.start();
  expect(await worker.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  server.kill();
  setBack();
  await server.start();
  await expect(worker.setControl('b', 'running')).rejects.toThrow(LedgerAway);

  const later = await openLedger(server.url);
  await expect(later.intend(aKey(1), INTENT)).rejects.toThrow(LedgerAway);
  await expect(later.acceptedAt()).rejects.toThrow('a copy that nobody has accepted');
  await later.acceptCopy(byItself(null));
  await worker.setControl('b', 'paused');
  await waitFor(async () => (await later.setControl('b', 'running').catch(() => undefined)) === 'running');
  expect(await later.intend(aKey(1), INTENT)).toMatchObject({ type: 'exists' });
  expect(await later.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
  for (const ledger of [worker, later]) await ledger.close();
});
