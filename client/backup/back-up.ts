import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '../../contract/times.ts';
import { KernelLock, lockHolders } from '../../embedded/kernel-lock.ts';
import { sha256Of } from '../../inputs/regular-file.ts';
import type { BackupDialect, BackupFacts, BackupMoment } from '../../ledger/backup/backup-dialect.ts';
import { driverOf } from '../../ledger/open-ledger.ts';
import { syncToDisk } from '../../results/files.ts';
import { copyMedia, type CopiedMedia, mediaFiles } from '../../store/backup/copy-media.ts';
import { kindOfStore } from '../../store/supported-stores.ts';
import { requireStore } from '../claim-store.ts';
import { openRecords } from '../open-records.ts';
import { VoxbatchError } from '../problem.ts';
import { wrapMachineFaults, requireWritable } from '../machine-faults.ts';
import type { Settings } from '../settings.ts';
import { voxbatchVersion } from '../version.ts';
import {
  backupPaths,
  claimBackupFolder,
  ledgerFileOf,
  refuseBackup,
  removeLeftovers,
  writingTo,
  type BackupPaths,
} from './backup-folder.ts';
import { viewBackup, type BackupView } from './backup-view.ts';
import { FORM, readManifest, writeManifest, type Manifest } from '../../results/backup/manifest.ts';

export interface BackupOptions {
  readonly folder: string;
  readonly settings: Settings;
  readonly atMoment?: ((moment: BackupMoment) => void | Promise<void>) | undefined;
}

/** What is copied of a store in a bucket. */
const NOTHING: CopiedMedia = { files: 0, bytes: 0, newFiles: 0, newBytes: 0, damaged: [] };

/** Copies of the ledger that one backup makes at most, because files were removed meanwhile. */
const MOST_COPIES = 5;

/**
 * Backs up the ledger and the media in its folder to another folder, while workers work. The ledger is copied first: a
 * file is in the store before a record names it, so all that this copy names is there to be copied. A second backup to
 * the same folder copies only what is new. The former one stays whole until the new one is. Sends nothing. Throws
 * {@link VoxbatchError} (`backup-refused`, `backup-held`, `no-ledger`, `machine`, `store-missing`, `store-of-another`,
 * `other-store`).
 */
export async function backUp({ folder, settings, atMoment }: BackupOptions): Promise<BackupView> {
  const paths = backupPaths(folder);
  const dialect = await dialectOf(settings.ledger, paths.folder);
  const ledger = await openRecords({ ...settings, onReadOnly: () => undefined }, { mustExist: true });
  try {
    requireWritable(ledger);
    const hasMedia = kindOfStore(settings.store).isFolder;
    // A disk that is not mounted would look as if all media had been removed.
    if (hasMedia) await requireStore(settings, ledger);
    const { place } = ledger;
    return await holdingBackups(place, () =>
      writing(paths.folder, async () => {
        claimBackupFolder(paths, ledger.id, [settings.home, ...(hasMedia ? [settings.store] : [])]);
        const former = await formerOf(paths);
        const wasInterrupted = removeLeftovers(paths, former?.ledger.file);
        const store = hasMedia ? settings.store : undefined;
        const made = await copyBoth({ paths, dialect, place, store, reach: atMoment ?? (() => undefined) });
        const manifest = manifestOf(made, { place, store: settings.store, isCopied: hasMedia });
        const named = join(paths.folder, manifest.ledger.file);
        await rename(paths.part, named);
        await syncToDisk(paths.folder);
        await atMoment?.('named');
        await writeManifest(paths.manifest, manifest);
        await atMoment?.('published');
        removeLeftovers(paths, manifest.ledger.file);
        if (store !== undefined) await removeFormerMedia(paths.store, store, dialect.filesIn(named));
        return viewBackup(paths.folder, manifest, { ...made.media, former, wasInterrupted });
      }),
    );
  } finally {
    await ledger.close();
  }
}

function writing<R>(folder: string, work: () => Promise<R>): Promise<R> {
  return wrapMachineFaults(() => writingTo(folder, work));
}

/** Throws {@link VoxbatchError} (`backup-refused`) for a ledger in a database server. */
export async function dialectOf(ledger: string, folder: string): Promise<BackupDialect> {
  const { driver } = await wrapMachineFaults(() => driverOf(ledger));
  return (await driver.backingUp?.()) ?? refuseBackup(folder, { why: 'server' });
}

/** Only one backup of a ledger at a time. */
async function holdingBackups<R>(ledger: string, work: () => Promise<R>): Promise<R> {
  const lock = await wrapMachineFaults(() => new KernelLock(`${ledger}.backup`));
  try {
    if (!lock.tryExclusive()) {
      const pids = lockHolders([`${ledger}.backup`]);
      throw new VoxbatchError({ type: 'backup-held', ledger, by: 'backup', pids });
    }
    return await work();
  } finally {
    lock.close();
  }
}

async function formerOf({ folder, manifest }: BackupPaths): Promise<Manifest | undefined> {
  const found = await readManifest(manifest);
  if (found !== undefined && 'type' in found) refuseBackup(folder, { why: 'too-new', version: found.version });
  return found;
}

interface Copied {
  readonly id: string;
  readonly at: number;
  readonly facts: BackupFacts;
  readonly bytes: number;
  readonly sha256: string;
  readonly media: CopiedMedia;
  readonly missing: number;
}

interface Copying {
  readonly paths: BackupPaths;
  readonly dialect: BackupDialect;
  readonly place: string;
  readonly store: string | undefined;
  readonly reach: (moment: BackupMoment) => void | Promise<void>;
}

/**
 * Copies the ledger, then the media. Whatever the copy names and the folder lacks was removed in between (`clean`,
 * `cache prune`), or lost before: then both are copied once more, until no more is missing than before.
 */
async function copyBoth({ paths, dialect, place, store, reach }: Copying): Promise<Copied> {
  let newFiles = 0;
  let newBytes = 0;
  for (let copies = 1, before = Infinity; ; copies += 1) {
    const [id, at] = [randomUUID(), Date.now()];
    const facts = dialect.snapshot(place, paths.part, { place, copy: id, at });
    await reach('ledger');
    const media =
      store === undefined
        ? NOTHING
        : await copyMedia(store, paths.store, { prefers: 'source', records: () => dialect.filesIn(paths.part) });
    newFiles += media.newFiles;
    newBytes += media.newBytes;
    await reach('media');
    const missing = store === undefined ? 0 : countMissing(paths, dialect);
    if (missing === 0 || missing === before || copies === MOST_COPIES) {
      const [bytes, sha256] = [statSync(paths.part).size, await sha256Of(paths.part)];
      return { id, at, facts, bytes, sha256, missing, media: { ...media, newFiles, newBytes } };
    }
    before = missing;
  }
}

/** Files that the copied ledger names and the folder does not have. */
function countMissing({ part, store }: BackupPaths, { filesIn }: BackupDialect): number {
  const missing = new Set<string>();
  for (const { key } of filesIn(part)) if (!existsSync(join(store, key))) missing.add(key);
  return missing.size;
}

function manifestOf(
  { id, at, facts, bytes, sha256, media, missing }: Copied,
  { place, store, isCopied }: { readonly place: string; readonly store: string; readonly isCopied: boolean },
): Manifest {
  const madeAt = isoTime(at);
  const { ledger, tables, batches, open, rows } = facts;
  return {
    form: FORM,
    version: voxbatchVersion(),
    backup: id,
    made_at: madeAt,
    ledger: { id: ledger, place, file: ledgerFileOf(madeAt), bytes, sha256, tables: [...tables], batches, open, rows },
    store: { place: store, copied: isCopied, files: media.files, bytes: media.bytes, missing },
  };
}

/** Removes what was removed from the store, too. What a record names stays: the store may have lost it. */
async function removeFormerMedia(
  kept: string,
  store: string,
  named: Iterable<{ readonly key: string }>,
): Promise<void> {
  const gone = new Set<string>();
  for await (const key of mediaFiles(kept)) if (!existsSync(join(store, key))) gone.add(key);
  if (gone.size === 0) return;
  for (const { key } of named) gone.delete(key);
  for (const key of gone) rmSync(join(kept, key), { force: true });
}
