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

/** Input of {@link backUp}. */
export interface BackupOptions {
  /** Folder for the backup. Created if missing; otherwise it must be empty, or have a backup of the same ledger. */
  readonly folder: string;
  readonly settings: Settings;
  /** Test hook, awaited at each step that a kill could interrupt. */
  readonly atMoment?: ((moment: BackupMoment) => void | Promise<void>) | undefined;
}

/** Result for a store in a bucket, whose media are not copied. */
const NOTHING_COPIED: CopiedMedia = { files: 0, bytes: 0, newFiles: 0, newBytes: 0, damaged: [] };

/** Max times that one backup copies ledger and media, because files were removed between the two copies. */
const MAX_COPIES = 5;

/**
 * Backs up the ledger, and the media of a store in a folder, to another folder, while workers may be running. Sends
 * nothing. Throws {@link VoxbatchError} (`backup-refused`, `backup-held`, `no-ledger`, `machine`, `store-missing`,
 * `store-of-another`, `other-store`).
 *
 * The ledger is copied before the media: a file is stored before a record names it, so every file that the copied
 * ledger names already exists. Writing the manifest publishes the backup, so an earlier one stays usable until then. A
 * second backup to the same folder copies only new media.
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
    return await withBackupLock(place, () =>
      wrapMachineFaults(() =>
        writingTo(paths.folder, async () => {
          claimBackupFolder(paths, ledger.id, [settings.home, ...(hasMedia ? [settings.store] : [])]);
          const former = await readFormer(paths);
          const wasInterrupted = removeLeftovers(paths, former?.ledger.file);
          const store = hasMedia ? settings.store : undefined;
          const made = await copyLedgerAndMedia({ paths, dialect, place, store, atMoment });
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
      ),
    );
  } finally {
    await ledger.close();
  }
}

/** Returns the SQL for backing up a ledger in a file. Throws {@link VoxbatchError} (`backup-refused`) for any other. */
export async function dialectOf(ledger: string, folder: string): Promise<BackupDialect> {
  const { driver } = await wrapMachineFaults(() => driverOf(ledger));
  return (await driver.backingUp?.()) ?? refuseBackup(folder, { why: 'server' });
}

/** Runs `work` under a lock that allows only one backup of a ledger at a time. */
async function withBackupLock<R>(ledger: string, work: () => Promise<R>): Promise<R> {
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

/** Reads the manifest of the folder's earlier backup; undefined if there is none. */
async function readFormer({ folder, manifest }: BackupPaths): Promise<Manifest | undefined> {
  const found = await readManifest(manifest);
  if (found !== undefined && 'type' in found) refuseBackup(folder, { why: 'too-new', version: found.version });
  return found;
}

/** A copied ledger, not yet under its final name, and its media. */
interface Copied {
  /** Id of the backup. */
  readonly id: string;
  /** When the ledger was copied, ms since 1970. */
  readonly at: number;
  /** The copied ledger's id, tables and counts. */
  readonly facts: BackupFacts;
  /** Size and hash of the ledger's copy. */
  readonly bytes: number;
  readonly sha256: string;
  readonly media: CopiedMedia;
  /** Files that the copied ledger names and the backup lacks. */
  readonly missing: number;
}

interface CopyRequest extends Pick<BackupOptions, 'atMoment'> {
  readonly paths: BackupPaths;
  readonly dialect: BackupDialect;
  /** Path of the ledger. */
  readonly place: string;
  /** Path of the store; undefined for a bucket. */
  readonly store: string | undefined;
}

/**
 * Copies the ledger, then the media. A file that the copied ledger names and the backup lacks was either removed
 * between the two copies (`clean`, `cache prune`) or lost before, so both are copied again until the number of missing
 * files stays the same. Where the store and an earlier backup have different files of one name, the store's is kept.
 */
async function copyLedgerAndMedia({ paths, dialect, place, store, atMoment }: CopyRequest): Promise<Copied> {
  let newFiles = 0;
  let newBytes = 0;
  for (let copies = 1, before = Infinity; ; copies += 1) {
    const id = randomUUID();
    const at = Date.now();
    const facts = dialect.snapshot(place, paths.part, { place, copy: id, at });
    await atMoment?.('ledger');
    const media =
      store === undefined
        ? NOTHING_COPIED
        : await copyMedia(store, paths.store, { prefers: 'source', records: () => dialect.filesIn(paths.part) });
    newFiles += media.newFiles;
    newBytes += media.newBytes;
    await atMoment?.('media');
    const missing = store === undefined ? 0 : countMissing(paths, dialect);
    if (missing === 0 || missing === before || copies === MAX_COPIES) {
      const bytes = statSync(paths.part).size;
      const sha256 = await sha256Of(paths.part);
      return { id, at, facts, bytes, sha256, missing, media: { ...media, newFiles, newBytes } };
    }
    before = missing;
  }
}

/** Counts the files that the copied ledger names and the backup lacks. */
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

/**
 * Removes files of earlier backups that the store no longer has. A file that the ledger still names stays: the store
 * may have lost it.
 *
 * @param copied folder of the backup's media
 */
async function removeFormerMedia(
  copied: string,
  store: string,
  named: Iterable<{ readonly key: string }>,
): Promise<void> {
  const gone = new Set<string>();
  for await (const key of mediaFiles(copied)) if (!existsSync(join(store, key))) gone.add(key);
  if (gone.size === 0) return;
  for (const { key } of named) gone.delete(key);
  for (const key of gone) rmSync(join(copied, key), { force: true });
}
