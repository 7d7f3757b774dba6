import { beforeEach, describe, expect, it } from '@jest/globals';
import { copyFileSync, statSync } from 'node:fs';
import { acceptBackup } from '../../../ledger/backup/accept-backup.ts';
import { LedgerReadOnly } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { sqliteBackup } from '../../../ledger/sqlite/backup-dialect.ts';
import { copyLedgerTo } from '../../../client/ledger/copy-ledger.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { ANN } from '../../support/ann.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { aKey, claimAnew, fill, INTENT } from '../setup.ts';

const inFolder = folderForEach();
const FACTS = { place: '/home/ann/ledger.db', copy: 'b1', at: 1_795_000_000_000 };

let ledger: Ledger;
beforeEach(async () => {
  ledger = await opened('ledger.db');
  await fill(ledger, 3);
});

async function opened(name: string): Promise<Ledger> {
  const one = await openLedger(inFolder(name));
  endAfterTest(() => one.close());
  return one;
}

/** A backup of the ledger, put elsewhere by hand. */
async function putBack(): Promise<Ledger> {
  sqliteBackup.snapshot(inFolder('ledger.db'), inFolder('copy.db'), FACTS);
  copyFileSync(inFolder('copy.db'), inFolder('back.db'));
  return opened('back.db');
}

describe('the backup of a ledger', () => {
  it('is of one moment, for its owner alone, and says what it holds, while another transaction is open', async () => {
    await claimAnew(ledger);
    await ledger.intend(aKey(1), INTENT);
    const held = sqliteBackup.snapshot(inFolder('ledger.db'), inFolder('copy.db'), FACTS);
    expect(held).toMatchObject({ ledger: ledger.id, batches: 1, open: 1, rows: 3 });
    expect(held.tables.at(0)).toBe('0.1');
    expect(statSync(inFolder('copy.db')).mode & 0o777).toBe(0o600);
    await ledger.intend(aKey(2), INTENT);
    copyFileSync(inFolder('copy.db'), inFolder('back.db'));
    const back = await opened('back.db');
    expect((await back.readRow('b', 1))?.charges).toHaveLength(1);
    expect((await back.readRow('b', 2))?.charges).toEqual([]);
  });

  it('takes no write wherever it is put, can be looked at, and has no strange parts', async () => {
    const back = await putBack();
    expect(back.readOnly).toEqual({ type: 'backup', ...FACTS });
    expect(await back.isAccepted()).toBe(false);
    expect(await back.counts('b')).toMatchObject({ states: { waiting: 3 } });
    expect(await back.schemaDifferences()).toEqual([]);
    await expect(back.setControl('b', 'paused')).rejects.toMatchObject({ name: 'LedgerReadOnly', why: FACTS });
    await expect(back.acquireLane({ batch: 'b', lane: 1, run: 'r', owner: 'w' })).rejects.toBeInstanceOf(
      LedgerReadOnly,
    );
    await expect(back.acceptedAt()).rejects.toThrow('voxbatch ledger accept-copy');
    // The ledger itself goes on.
    expect(ledger.readOnly).toBeUndefined();
    await ledger.setControl('b', 'paused');
  });

  it('waits for a person once it is accepted: all batches are paused, and none resumes before somebody has compared', async () => {
    const back = await putBack();
    expect(await acceptBackup(inFolder('back.db'), ANN)).toEqual({ batches: ['b'], schedules: [] });
    expect(await acceptBackup(inFolder('back.db'), ANN)).toBeUndefined();
    expect(await back.isAccepted()).toBe(true);
    expect(await back.findBatch('b')).toMatchObject({ control: 'paused' });
    await expect(back.requireResumable('b')).rejects.toMatchObject({ name: 'CopyInDoubt' });
    await back.clearDoubts(ANN);
    await back.requireResumable('b');
    expect((await opened('back.db')).readOnly).toBeUndefined();
    expect(await back.schemaDifferences()).toEqual([]);
  });

  it('is neither moved to another place nor written over by a ledger that moves', async () => {
    await putBack();
    const settings = { env: {}, isLedgerNamed: true };
    const none = () => Promise.resolve();
    const copy = (from: string, to: string): Promise<unknown> =>
      copyLedgerTo({ from: inFolder(from), to: inFolder(to), settings, admit: none, confirm: none });
    await expect(copy('back.db', 'new.db')).rejects.toMatchObject({ problem: { type: 'copy-refused' } });
    await expect(copy('ledger.db', 'back.db')).rejects.toMatchObject({ problem: { refusal: { why: 'not-empty' } } });
  });

  it('names the files that its records name', async () => {
    const file = { key: 'b-1/0000/1-speech-1.mp3', bytes: 7, sha256: 'x', extension: 'mp3' };
    await claimAnew(ledger);
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    await ledger.finishJob(aKey(1), { file }, { outcome: 'succeeded', file });
    sqliteBackup.snapshot(inFolder('ledger.db'), inFolder('copy.db'), FACTS);
    expect(new Set([...sqliteBackup.filesIn(inFolder('copy.db'))].map(({ key }) => key))).toEqual(new Set([file.key]));
  });
});
