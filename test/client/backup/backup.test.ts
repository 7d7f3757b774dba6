import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { backUp } from '../../../client/backup/back-up.ts';
import type { BackupView } from '../../../client/backup/backup-view.ts';
import { restoreBackup } from '../../../client/backup/restore.ts';
import { claimStore } from '../../../client/claim-store.ts';
import type { Settings } from '../../../client/settings.ts';
import { KernelLock } from '../../../embedded/kernel-lock.ts';
import type { BackupMoment, RestoreMoment } from '../../../ledger/backup/backup-dialect.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { aKey, claimAnew, endAnyhow, fill, INTENT } from '../../ledger/setup.ts';

const inFolder = folderForEach();
const KEY = 'b-1/0000/1-speech-1.mp3';
const FILE = { key: KEY, bytes: 3, sha256: hash('sha256', 'one'), extension: 'mp3' };

let ledger: Ledger;
let settings: Settings;

function settingsIn(home: string): Settings {
  const places = { home: inFolder(home), ledger: inFolder(home, 'ledger.db'), store: inFolder(home, 'store') };
  return { ...places, isLedgerNamed: true, config: {}, cluster: undefined, env: { XDG_STATE_HOME: inFolder('state') } };
}

/** A ledger of three rows, of which the first has its result in the store. */
beforeEach(async () => {
  settings = settingsIn('.voxbatch');
  ledger = await openLedger(settings.ledger);
  endAfterTest(() => ledger.close());
  await (await claimStore(settings, ledger)).close();
  await fill(ledger, 3);
  mkdirSync(inFolder('.voxbatch', 'store', 'b-1', '0000'), { recursive: true });
  writeFileSync(stored(KEY), 'one');
  await claimAnew(ledger);
  await ledger.intend(aKey(1), INTENT);
  await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
  await ledger.finishJob(aKey(1), { file: FILE }, { outcome: 'succeeded', file: FILE });
});

const stored = (key: string): string => inFolder('.voxbatch', 'store', key);

function backUpTo(folder = 'copy', atMoment?: (moment: BackupMoment) => void | Promise<void>): Promise<BackupView> {
  return backUp({ folder: inFolder(folder), settings, atMoment });
}

/** Dies, as far as others see, at this moment. */
function dyingAt(moment: BackupMoment | RestoreMoment): (now: string) => void {
  return (now) => {
    if (now === moment) throw new Error('killed');
  };
}

const refused = (why: string): unknown =>
  expect.objectContaining({
    problem: expect.objectContaining({ type: 'backup-refused', refusal: expect.objectContaining({ why }) }),
  });

describe('a backup', () => {
  it('holds ledger and media, for its owner alone, and again only what is new', async () => {
    const first = await backUpTo();
    expect(first).toMatchObject({
      ...{ batches: 1, open: 1, rows: 3, replaces: null, wasInterrupted: false },
      media: { isCopied: true, files: 1, bytes: 3, newFiles: 1, missing: 0 },
    });
    expect(statSync(inFolder('copy')).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(inFolder('copy'))) expect(statSync(inFolder('copy', name)).mode & 0o077).toBe(0);
    writeFileSync(stored('b-1/0000/2-speech-1.mp3'), 'two');
    expect(await backUpTo()).toMatchObject({ replaces: first.madeAt, media: { files: 2, newFiles: 1 } });
    expect(readdirSync(inFolder('copy')).filter((name) => name.startsWith('ledger-'))).toHaveLength(1);
  });

  it('is again without what was removed from the store, and keeps what the store has lost', async () => {
    writeFileSync(stored('b-1/0000/2-speech-1.mp3'), 'two');
    await backUpTo();
    rmSync(stored('b-1/0000/2-speech-1.mp3'));
    rmSync(stored(KEY));
    expect(await backUpTo()).toMatchObject({ media: { missing: 0 } });
    expect(readdirSync(inFolder('copy', 'store', 'b-1', '0000'))).toEqual(['1-speech-1.mp3']);
  });

  it('keeps its whole copy of a file that was damaged since, and a restore takes it', async () => {
    await backUpTo();
    rmSync(stored(KEY));
    writeFileSync(stored(KEY), 'damage');
    expect(await backUpTo()).toMatchObject({ media: { files: 1, newFiles: 0, damaged: 1, missing: 0 } });
    expect(readFileSync(inFolder('copy', 'store', KEY), 'utf8')).toBe('one');
    for (const suffix of ['', '-wal', '-shm']) rmSync(settings.ledger + suffix, { force: true });
    writeFileSync(stored(KEY), '');
    expect(await restoreBackup({ folder: inFolder('copy'), settings })).toMatchObject({
      media: { newFiles: 1, missing: 0 },
    });
    expect(readFileSync(stored(KEY), 'utf8')).toBe('one');
  });

  it('waits for no pipe in its folder, nor does a restore', async () => {
    await backUpTo();
    const pipe = (name: string): void => {
      rmSync(inFolder('copy', name));
      execFileSync('mkfifo', [inFolder('copy', name)]);
    };
    const [file = ''] = readdirSync(inFolder('copy')).filter((name) => name.startsWith('ledger-'));
    pipe(file);
    const restoring = restoreBackup({ folder: inFolder('copy'), settings: settingsIn('other') });
    await expect(restoring).rejects.toMatchObject({
      problem: { type: 'backup-differs', why: 'is no regular file' },
    });
    pipe('.ledger');
    await expect(backUpTo()).rejects.toEqual(refused('no-file'));
  });

  it('says which files on record are nowhere', async () => {
    rmSync(stored(KEY));
    expect(await backUpTo()).toMatchObject({ media: { files: 0, missing: 1 } });
  });

  it('copies the ledger once more if files are removed on purpose between the ledger and the media', async () => {
    for (const row of [2, 3]) await endAnyhow(ledger, row);
    await ledger.closeBatch('b');
    let copies = 0;
    const view = await backUpTo('copy', async (moment) => {
      if (moment !== 'ledger' || (copies += 1) > 1) return;
      await ledger.beginClean('b', { media: true, rows: false });
      await ledger.cleanRows('b', [1, 2, 3]);
      rmSync(stored(KEY));
    });
    expect(copies).toBe(2);
    expect(view.media).toMatchObject({ files: 0, missing: 0 });
  });

  it.each(['ledger', 'media', 'named'] as const)(
    'that was killed (%s) leaves the former one, and says so',
    async (moment) => {
      const first = await backUpTo();
      writeFileSync(stored('b-1/0000/2-speech-1.mp3'), 'two');
      await expect(backUpTo('copy', dyingAt(moment))).rejects.toThrow('killed');
      const restored = await restoreBackup({ folder: inFolder('copy'), settings: settingsIn('other') });
      expect(restored).toMatchObject({ madeAt: first.madeAt });
      expect(await backUpTo()).toMatchObject({ wasInterrupted: true, replaces: first.madeAt, media: { files: 2 } });
      expect(await backUpTo()).toMatchObject({ wasInterrupted: false });
    },
  );

  it('that was killed leaves none if there was none', async () => {
    await expect(backUpTo('copy', dyingAt('named'))).rejects.toThrow('killed');
    await expect(restoreBackup({ folder: inFolder('copy'), settings: settingsIn('other') })).rejects.toEqual(
      refused('none'),
    );
    expect(await backUpTo()).toMatchObject({ wasInterrupted: true, replaces: null });
  });

  it('is refused in its own folder, among other files, over another ledger, and with links', async () => {
    await expect(backUpTo('.voxbatch')).rejects.toEqual(refused('inside'));
    await expect(backUpTo('.voxbatch/store/copy')).rejects.toEqual(refused('inside'));
    symlinkSync(inFolder('.voxbatch'), inFolder('link'));
    await expect(backUpTo('link/copy')).rejects.toEqual(refused('inside'));
    expect(existsSync(inFolder('.voxbatch', 'copy'))).toBe(false);
    mkdirSync(inFolder('mine'));
    writeFileSync(inFolder('mine', 'letter.txt'), 'Dear');
    await expect(backUpTo('mine')).rejects.toEqual(refused('not-empty'));
    expect(readdirSync(inFolder('mine'))).toEqual(['letter.txt']);
    await backUpTo();
    const other = settingsIn('other');
    await (await openLedger(other.ledger)).close();
    await expect(backUp({ folder: inFolder('copy'), settings: other })).rejects.toEqual(refused('another-ledger'));
    rmSync(inFolder('copy', 'backup.json'));
    symlinkSync(inFolder('mine', 'letter.txt'), inFolder('copy', 'backup.json'));
    await expect(backUpTo()).rejects.toEqual(refused('link'));
    expect(readFileSync(inFolder('mine', 'letter.txt'), 'utf8')).toBe('Dear');
  });

  it('is refused where a file is in place of the folder', async () => {
    writeFileSync(inFolder('file'), 'mine');
    await expect(backUpTo('file')).rejects.toEqual(refused('unwritable'));
    await expect(backUpTo('file/copy')).rejects.toEqual(refused('unwritable'));
    expect(readFileSync(inFolder('file'), 'utf8')).toBe('mine');
  });

  it('is refused while another runs, and where the store is not there', async () => {
    const lock = new KernelLock(`${settings.ledger}.backup`);
    endAfterTest(() => {
      lock.close();
    });
    expect(lock.tryExclusive()).toBe(true);
    await expect(backUpTo()).rejects.toMatchObject({ problem: { type: 'backup-held', by: 'backup' } });
    lock.release();
    await backUpTo();
    // As with a disk that is not mounted.
    rmSync(inFolder('.voxbatch', 'store'), { recursive: true });
    await expect(backUpTo()).rejects.toMatchObject({ problem: { type: 'store-missing' } });
    expect(existsSync(inFolder('copy', 'store', KEY))).toBe(true);
  });

  it('is of the ledger alone where media are in a bucket, and asks nothing of that', async () => {
    settings = { ...settings, store: 's3://bucket/prefix' };
    const media = { store: 's3://bucket/prefix', isCopied: false, files: 0, missing: 0 };
    expect(await backUpTo()).toMatchObject({ media });
    const bucket = { ...settingsIn('other'), store: settings.store };
    const restored = await restoreBackup({ folder: inFolder('copy'), settings: bucket });
    expect(restored).toMatchObject({ batches: [{ batch: 'b' }], media });
  });

  it('is refused for a ledger in a database server, with its own tools', async () => {
    settings = { ...settings, ledger: 'postgres://ann@127.0.0.1:1/voxbatch' };
    await expect(backUpTo()).rejects.toEqual(refused('server'));
    expect(existsSync(inFolder('copy'))).toBe(false);
  });
});

describe('a restore', () => {
  const restore = (home = 'other', atMoment?: (moment: RestoreMoment) => void) =>
    restoreBackup({ folder: inFolder('copy'), settings: settingsIn(home), atMoment });

  it('puts ledger and media in place, and says what may have been sent since', async () => {
    await ledger.intend(aKey(2), INTENT);
    await backUpTo();
    const view = await restore();
    expect(view).toMatchObject({
      batches: [{ batch: 'b', rows: 3, state: 'open', waiting: 1, running: 0, inDoubt: 1 }],
      ...{ mayPayAgain: 1, isKnown: true, media: { isCopied: true, files: 1, newFiles: 1, missing: 0 } },
    });
    expect(readFileSync(inFolder('other', 'store', KEY), 'utf8')).toBe('one');
    expect(statSync(inFolder('other', 'ledger.db')).mode & 0o777).toBe(0o600);
    expect(statSync(inFolder('other')).mode & 0o777).toBe(0o700);
    const restored = await openLedger(inFolder('other', 'ledger.db'));
    endAfterTest(() => restored.close());
    expect(restored.readOnly).toMatchObject({ type: 'backup' });
    expect(await restored.readRow('b', 1)).toMatchObject({ row: { outcome: 'succeeded' } });
  });

  it('leaves the media that are still there, and is refused where those of another ledger are', async () => {
    await backUpTo();
    rmSync(settings.ledger);
    rmSync(`${settings.ledger}-wal`, { force: true });
    writeFileSync(stored('b-1/0000/2-speech-1.mp3'), 'sent since');
    expect(await restore('.voxbatch')).toMatchObject({ media: { files: 1, newFiles: 0, missing: 0 } });
    expect(readFileSync(stored('b-1/0000/2-speech-1.mp3'), 'utf8')).toBe('sent since');
    mkdirSync(inFolder('other', 'store'), { recursive: true });
    writeFileSync(inFolder('other', 'store', '.ledger'), 'another');
    await expect(restore()).rejects.toMatchObject({ problem: { type: 'store-of-another' } });
    expect(existsSync(inFolder('other', 'ledger.db'))).toBe(false);
  });

  it('is refused over a ledger, while somebody works there, and from a damaged backup', async () => {
    await backUpTo();
    await expect(restore('.voxbatch')).rejects.toEqual(refused('ledger-there'));
    mkdirSync(inFolder('other'));
    const lock = new KernelLock(inFolder('other', 'ledger.db.lock'));
    endAfterTest(() => {
      lock.close();
    });
    expect(lock.tryShared()).toBe(true);
    await expect(restore()).rejects.toMatchObject({ problem: { type: 'backup-held', by: 'work' } });
    lock.release();
    const [file = ''] = readdirSync(inFolder('copy')).filter((name) => name.startsWith('ledger-'));
    const bytes = readFileSync(inFolder('copy', file));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    chmodSync(inFolder('copy', file), 0o600);
    writeFileSync(inFolder('copy', file), bytes);
    await expect(restore()).rejects.toMatchObject({ problem: { type: 'backup-differs' } });
    expect(readdirSync(inFolder('other'))).toEqual(['ledger.db.lock']);
  });

  it('is refused with media of a folder where the store is a bucket', async () => {
    await backUpTo();
    const bucket = { ...settingsIn('other'), store: 's3://bucket/prefix' };
    await expect(restoreBackup({ folder: inFolder('copy'), settings: bucket })).rejects.toEqual(refused('bucket'));
    expect(existsSync(inFolder('other'))).toBe(false);
  });

  it('takes the place of a ledger in which nothing was ever recorded, which takes no writes any more', async () => {
    await backUpTo();
    const empty = await openLedger(inFolder('other', 'ledger.db'));
    endAfterTest(() => empty.close());
    await expect(restore('other', dyingAt('media'))).rejects.toThrow('killed');
    expect(await restore()).toMatchObject({ batches: [{ batch: 'b' }] });
    await expect(fill(empty, 1)).rejects.toMatchObject({ name: 'LedgerReadOnly' });
    const restored = await openLedger(inFolder('other', 'ledger.db'));
    endAfterTest(() => restored.close());
    expect([restored.id, restored.readOnly?.type]).toEqual([ledger.id, 'backup']);
    // One that cannot be read is a person's to move away.
    // Nor is one whose log may be all that is left of it.
    mkdirSync(inFolder('fourth'));
    for (const name of ['ledger.db', 'ledger.db-wal']) writeFileSync(inFolder('fourth', name), '');
    await expect(restore('fourth')).rejects.toEqual(refused('ledger-there'));
    writeFileSync(inFolder('broken.db'), 'This was a ledger once.');
    const there = { ...settingsIn('third'), ledger: inFolder('broken.db') };
    await expect(restoreBackup({ folder: inFolder('copy'), settings: there })).rejects.toEqual(refused('ledger-there'));
    expect(readFileSync(inFolder('broken.db'), 'utf8')).toBe('This was a ledger once.');
  });

  it.each(['copied', 'media'] as const)('that was killed (%s) has no ledger yet; again, it ends', async (moment) => {
    await backUpTo();
    await expect(restore('other', dyingAt(moment))).rejects.toThrow('killed');
    expect(existsSync(inFolder('other', 'ledger.db'))).toBe(false);
    expect(await restore()).toMatchObject({ media: { files: 1, missing: 0 } });
  });

  it('is refused from a form of a later version', async () => {
    await backUpTo();
    const manifest = JSON.parse(readFileSync(inFolder('copy', 'backup.json'), 'utf8')) as object;
    writeFileSync(inFolder('copy', 'backup.json'), JSON.stringify({ ...manifest, form: 2, version: '9.0.0' }));
    await expect(restore()).rejects.toEqual(refused('too-new'));
    await expect(backUpTo()).rejects.toEqual(refused('too-new'));
  });
});
