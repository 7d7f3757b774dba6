import { expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { backUp } from '../../../client/backup/back-up.ts';
import { restoreBackup } from '../../../client/backup/restore.ts';
import { claimStore } from '../../../client/claim-store.ts';
import { acceptCopy } from '../../../client/ledger/accept-copy.ts';
import type { Settings } from '../../../client/settings.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { fill } from '../../ledger/setup.ts';

const inFolder = folderForEach();

it.each([[[]], [['.ledger']]])(
  'a restore leaves the media of a store that had only these marks when the backup was made: %j',
  async (marks) => {
    const places = { home: inFolder('home'), ledger: inFolder('home', 'ledger.db'), store: inFolder('home', 'store') };
    const env = { XDG_STATE_HOME: inFolder('state') };
    const settings: Settings = { ...places, isLedgerNamed: true, config: {}, cluster: undefined, env };
    mkdirSync(places.store, { recursive: true });
    const ledger = await openLedger(places.ledger);
    await fill(ledger, 1);
    for (const name of marks) writeFileSync(inFolder('home', 'store', name), ledger.id);
    await backUp({ folder: inFolder('copy'), settings });
    await (await claimStore(settings, ledger)).close();
    await ledger.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(places.ledger + suffix, { force: true });
    writeFileSync(inFolder('home', 'store', 'kept'), 'sent since');
    const restored = await restoreBackup({ folder: inFolder('copy'), settings });
    expect(restored).toMatchObject({ batches: [{ batch: 'b' }], media: { isCopied: true } });
    expect(readFileSync(inFolder('home', 'store', 'kept'), 'utf8')).toBe('sent since');
    // And the ledger takes it for its own.
    await acceptCopy(settings);
    const accepted = await openLedger(places.ledger);
    await (await claimStore(settings, accepted)).close();
    await accepted.close();
  },
);
