import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { copyFile, link, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makePrivateFile } from '../../embedded/private-file.ts';
import { pathsIn } from '../../embedded/home.ts';
import { KernelLock, lockHolders } from '../../embedded/kernel-lock.ts';
import { sha256Of } from '../../inputs/regular-file.ts';
import type { BackupDialect, RestoreMoment } from '../../ledger/backup/backup-dialect.ts';
import { isEmptyLedger, makeReadOnlyIfEmpty } from '../../ledger/backup/empty-ledger.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { codeOf, syncToDisk } from '../../results/files.ts';
import { copyMedia } from '../../store/backup/copy-media.ts';
import { kindOfStore } from '../../store/supported-stores.ts';
import { readStoreMarks } from '../../store/open-store.ts';
import { VoxbatchError } from '../problem.ts';
import { wrapMachineFaults } from '../machine-faults.ts';
import type { Settings } from '../settings.ts';
import { isHomeInUse } from '../temporal/home-processes.ts';
import { isPlaceKnown } from '../trust/known-ledgers.ts';
import { dialectOf } from './back-up.ts';
import { backupPaths, isThere, refuseBackup, refuseStrange, writingTo, type BackupPaths } from './backup-folder.ts';
import { type RestoreView, backedUpBatches } from './backup-view.ts';
import { readManifest, type Manifest } from '../../results/backup/manifest.ts';

/** Input of {@link restoreBackup}. */
export interface RestoreOptions {
  /** Folder of the backup. */
  readonly folder: string;
  readonly settings: Settings;
  /** Test hook, awaited at each step that a kill could interrupt. */
  readonly atMoment?: ((moment: RestoreMoment) => void | Promise<void>) | undefined;
}

/** Suffixes of the files that SQLite keeps beside a database. */
const LOGS = ['-wal', '-shm', '-journal'];

/**
 * Restores a backup where there is no ledger, or an empty one. The media are copied first, and existing ones stay; the
 * ledger is put in place last, so that a killed restore leaves none. It lacks what was sent after the backup, so it
 * refuses writes until a person accepts it (`voxbatch ledger accept-copy`), and nothing is sent. Throws
 * {@link VoxbatchError} (`backup-refused`, `backup-held`, `backup-differs`, `machine`, `store-of-another`,
 * `other-store`).
 */
export async function restoreBackup({ folder, settings, atMoment }: RestoreOptions): Promise<RestoreView> {
  const { ledger, store, home } = settings;
  const paths = backupPaths(folder);
  const dialect = await dialectOf(ledger, paths.folder);
  const manifest = await manifestIn(paths);
  const isCopied = manifest.store.copied;
  if (isCopied && !kindOfStore(store).isFolder) refuseBackup(paths.folder, { why: 'bucket', store });
  return wrapMachineFaults(async () => {
    await writingTo(dirname(ledger), () =>
      Promise.resolve(mkdirSync(dirname(ledger), { recursive: true, mode: 0o700 })),
    );
    return withWorkersOut(ledger, home, async () => {
      const isEmptyThere = await refuseLedgerAt(ledger, paths.folder);
      const part = `${ledger}.restored.part`;
      try {
        await copyVerified(join(paths.folder, manifest.ledger.file), part, manifest);
        await atMoment?.('copied');
        if (isCopied) await requireOwnStore(settings, paths, manifest);
        const media = isCopied
          ? await copyMedia(paths.store, store, { prefers: 'target', records: () => dialect.filesIn(part) })
          : undefined;
        await atMoment?.('media');
        const batches = await readBatches(part);
        const missing = isCopied ? await countUnfit(store, part, dialect, media?.damaged) : 0;
        if (isEmptyThere) await replaceEmpty(part, ledger, { folder: paths.folder, backup: manifest.backup });
        else await putInPlace(part, ledger, paths.folder);
        await atMoment?.('placed');
        return {
          folder: paths.folder,
          ledger,
          madeAt: manifest.made_at,
          batches,
          mayPayAgain: batches.reduce((sum, { waiting, running }) => sum + waiting + running, 0),
          media: {
            store,
            isCopied,
            files: media?.files ?? 0,
            newFiles: media?.newFiles ?? 0,
            newBytes: media?.newBytes ?? 0,
            missing,
          },
          isKnown: isPlaceKnown(settings),
        };
      } finally {
        for (const suffix of ['', ...LOGS]) rmSync(part + suffix, { force: true });
      }
    });
  });
}

/** Reads the backup's manifest. Throws {@link VoxbatchError} (`backup-refused`) if it is missing or too new. */
async function manifestIn(paths: BackupPaths): Promise<Manifest> {
  refuseStrange(paths);
  const manifest = await readManifest(paths.manifest);
  if (manifest === undefined) refuseBackup(paths.folder, { why: 'none' });
  if ('type' in manifest) refuseBackup(paths.folder, { why: 'too-new', version: manifest.version });
  return manifest;
}

/**
 * Throws {@link VoxbatchError} (`backup-refused`) if a ledger with records exists at the path, or a log, which may be
 * all that is left of one. Returns whether an empty ledger exists there: a command that met the media of a lost ledger
 * leaves one.
 */
async function refuseLedgerAt(ledger: string, folder: string): Promise<boolean> {
  // Listed before the ledger is opened, which may create or remove logs.
  const files = filesOf(ledger);
  // A `-shm` file is only an index of the log, and holds no records.
  if (files.every((file) => file.endsWith('-shm'))) return false;
  // If the ledger's file is empty, SQLite would remove its log, which may hold the only records.
  const isOpenable = existsSync(ledger) && (statSync(ledger).size > 0 || !existsSync(`${ledger}-wal`));
  return (isOpenable && (await isEmptyLedger(ledger))) || refuseOver(ledger, folder, files);
}

/** The existing files of a ledger: the database and its logs, without the lock files. */
function filesOf(ledger: string): readonly string[] {
  return [ledger, ...LOGS.map((suffix) => ledger + suffix)].filter(isThere);
}

/** Throws {@link VoxbatchError} (`backup-refused`) for a ledger that a restore would overwrite. */
function refuseOver(ledger: string, folder: string, files = filesOf(ledger)): never {
  refuseBackup(folder, { why: 'ledger-there', ledger, files });
}

/**
 * Runs `work` with the ledger's lock, which keeps workers out. Throws {@link VoxbatchError} (`backup-held`) if a
 * process works in the home or holds the lock, even of a ledger that was deleted.
 */
async function withWorkersOut<R>(ledger: string, home: string, work: () => Promise<R>): Promise<R> {
  const lock = new KernelLock(`${ledger}.lock`);
  try {
    if (!lock.tryExclusive() || isHomeInUse(home)) {
      const { membersLock, startingLock } = pathsIn(home);
      const pids = lockHolders([`${ledger}.lock`, ledger, membersLock, startingLock]);
      throw new VoxbatchError({ type: 'backup-held', ledger, by: 'work', pids });
    }
    return await work();
  } finally {
    lock.close();
  }
}

/** Copies the ledger and checks the copy. Throws {@link VoxbatchError} (`backup-differs`) if the manifest disagrees. */
async function copyVerified(from: string, part: string, { ledger }: Manifest): Promise<void> {
  const differs = (why: string): never => {
    throw new VoxbatchError({ type: 'backup-differs', file: from, why });
  };
  const found = await stat(from).catch(() => differs('is missing'));
  // Opening a pipe would wait for a writer.
  if (!found.isFile()) differs('is no regular file');
  if (found.size !== ledger.bytes) differs(`has ${String(found.size)} bytes instead of ${String(ledger.bytes)}`);
  rmSync(part, { force: true });
  makePrivateFile(part);
  await copyFile(from, part);
  if ((await sha256Of(part)) !== ledger.sha256) differs('has another sha256 than its manifest says');
}

/**
 * Checks that an existing store is the one that was backed up, because its files stay. One that had no marks yet when
 * the backup was made has got those of the same ledger since. Throws {@link VoxbatchError} (`store-of-another`,
 * `other-store`).
 */
async function requireOwnStore(
  { store, env, ledger }: Settings,
  paths: BackupPaths,
  { ledger: { id } }: Manifest,
): Promise<void> {
  const [there, copied] = [await readStoreMarks(store, env), await readStoreMarks(paths.store, env)];
  if (there.owner === undefined) return;
  if (there.owner !== (copied.owner ?? id)) throw new VoxbatchError({ type: 'store-of-another', store, ledger });
  if (there.id !== undefined && there.id !== (copied.id ?? there.id))
    throw new VoxbatchError({ type: 'other-store', store, ledger });
}

/** Reads the batches of the copied ledger. Opening it also migrates its tables, before it is put in place. */
async function readBatches(part: string): Promise<RestoreView['batches']> {
  const ledger = await openLedger(part, { mustExist: true });
  try {
    return await backedUpBatches(ledger);
  } finally {
    await ledger.close();
  }
}

/** Counts the files that the ledger names and the store lacks or has with another length, and the `altered` ones. */
async function countUnfit(
  store: string,
  part: string,
  { filesIn }: BackupDialect,
  altered: readonly string[] = [],
): Promise<number> {
  const unfit = new Set(altered);
  for (const { key, bytes } of filesIn(part)) {
    const found = await stat(join(store, key)).catch(() => undefined);
    if (found?.size !== bytes) unfit.add(key);
  }
  return unfit.size;
}

/**
 * Replaces an empty ledger, after marking it as retired so that no process writes to it. Its logs are removed first,
 * because SQLite would apply them to the restored ledger. Throws {@link VoxbatchError} (`backup-refused`) if the ledger
 * is no longer empty.
 */
async function replaceEmpty(
  part: string,
  ledger: string,
  { folder, backup: copy }: { readonly folder: string; readonly backup: string },
): Promise<void> {
  await syncToDisk(part);
  const facts = { place: ledger, copy, at: Date.now() };
  if (!(await makeReadOnlyIfEmpty(ledger, facts))) refuseOver(ledger, folder);
  for (const suffix of LOGS) rmSync(ledger + suffix, { force: true });
  await rename(part, ledger);
  await syncToDisk(dirname(ledger));
}

/** Gives the copied ledger its name. Throws {@link VoxbatchError} (`backup-refused`) if a file has appeared there. */
async function putInPlace(part: string, ledger: string, folder: string): Promise<void> {
  await syncToDisk(part);
  try {
    await link(part, ledger);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || existsSync(ledger)) refuseOver(ledger, folder);
    // The file system has no hard links.
    await rename(part, ledger);
  }
  await syncToDisk(dirname(ledger));
}
