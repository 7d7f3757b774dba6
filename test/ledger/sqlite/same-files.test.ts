import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { LedgerUnreachable } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { aKey, claimAnew, fill, INTENT } from '../setup.ts';

const inFolder = folderForEach();

it.each([
  ['the ledger', ['ledger.db', 'ledger.db-wal', 'ledger.db-shm']],
  ['the ledger and its lock', ['ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'ledger.db.lock']],
  ['its lock', ['ledger.db.lock']],
])(
  'a worker sends nothing more once %s was moved, with nothing or another in place, and records its answers',
  async (_, moved) => {
    const ledger = await openLedger(inFolder('ledger.db'));
    endAfterTest(() => ledger.close());
    const lost: Error[] = [];
    await fill(ledger, 3);
    const unlock = await ledger.lockForWorkers('one', (error) => lost.push(error));
    await claimAnew(ledger);
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });

    mkdirSync(inFolder('former'));
    for (const name of moved) renameSync(inFolder(name), inFolder('former', name));
    await expect(ledger.intend(aKey(2), INTENT)).rejects.toThrow(LedgerUnreachable);
    for (const name of moved) copyFileSync(inFolder('former', name), inFolder(name));
    await expect(ledger.intend(aKey(2), INTENT)).rejects.toThrow('sends nothing more');
    expect(lost[0]).toBeInstanceOf(LedgerUnreachable);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });

    for (const name of moved) rmSync(inFolder(name));
    for (const name of moved) renameSync(inFolder('former', name), inFolder(name));
    expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
    expect(await ledger.readRow('b', 1)).toMatchObject({ row: { state: 'processing' } });
    unlock();
  },
);

it('a worker sends nothing more where another ledger was put in its place between its opening and its lock', async () => {
  const ledger = await openLedger(inFolder('ledger.db'));
  endAfterTest(() => ledger.close());
  await fill(ledger, 1);
  mkdirSync(inFolder('former'));
  for (const suffix of ['', '-wal', '-shm'])
    renameSync(inFolder(`ledger.db${suffix}`), join(inFolder('former'), `ledger.db${suffix}`));
  await (await openLedger(inFolder('ledger.db'))).close();
  const unlock = await ledger.lockForWorkers('one');
  await claimAnew(ledger);
  await expect(ledger.intend(aKey(1), INTENT)).rejects.toThrow('was moved, deleted or replaced');
  unlock();
});
