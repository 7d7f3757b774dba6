import { expect, it } from '@jest/globals';
import { mkdir } from 'node:fs/promises';
import { copyLedgerTo } from '../../../client/ledger/copy-ledger.ts';
import { openRecords } from '../../../client/open-records.ts';
import { isLedgerUnconfirmed, type LedgerSettings } from '../../../client/trust/known-ledgers.ts';
import { fill } from '../../ledger/setup.ts';
import { openTestLedger } from '../../support/open-test-ledger.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

const inFolder = folderForEach();

it("a ledger that was copied is on record as its user's, by the id that it has from the other", async () => {
  await mkdir(inFolder('.voxbatch'));
  const from = await openTestLedger(inFolder('old.db'));
  await fill(from, 1);
  await from.close();
  const env = { XDG_STATE_HOME: inFolder('state') };
  const settings: LedgerSettings = { ledger: inFolder('.voxbatch', 'ledger.db'), isLedgerNamed: false, env };
  // A ledger with an id of its own was there before.
  await (await openRecords(settings, {})).close();
  await copyLedgerTo({
    ...{ from: inFolder('old.db'), to: settings.ledger, settings },
    admit: () => Promise.resolve(),
    confirm: () => Promise.resolve(),
  });
  const copied = await openRecords(settings, { mustExist: true });
  expect([copied.id, isLedgerUnconfirmed(settings, copied)]).toEqual([from.id, false]);
  expect(await copied.counts('b')).toMatchObject({ states: { waiting: 1 } });
  await copied.close();
});
