import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import { defaultOut, isUsableName } from '../../contract/batch-name.ts';
import { lazyFileReader } from '../../store/open-store.ts';
import { findDamaged } from '../../batches/redrive/find-loss.ts';
import type { NextCommand } from '../../contract/shell-word.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { SUMMARY_FILE } from '../../results/out-files.ts';
import { describeMismatch } from '../../results/verification/mismatch.ts';
import type { DamagedResult } from '../../results/verification/row-check.ts';
import { verifyOut, type VerifyReport } from '../../results/verification/verify.ts';
import { chooseBatch, openRecords } from '../open-records.ts';
import type { Settings } from '../settings.ts';
import { outArgs } from '../status/continue-command.ts';

/** Rows whose results are missing from the store as well. */
export interface DamagedInStore {
  readonly store: string;
  readonly damaged: readonly DamagedResult[];
  /** The rows' inputs were removed, so none can be redriven. */
  readonly isRequestRemoved: boolean;
}

/** The result of verifying an out folder. */
export interface Verified {
  readonly type: 'verified';
  readonly report: VerifyReport;
  /** Discrepancies as sentences, excluding those that follow from an edited table, which users may edit. */
  readonly faults: readonly string[];
  /** Undefined if all media are correct, or no ledger here knows the batch. */
  readonly inStore: DamagedInStore | undefined;
  /** Why its files should be written again; undefined if that would change nothing. */
  readonly rewrite: 'not-ended' | 'wrong' | 'unfinished' | undefined;
  /** The command that writes them. */
  readonly write: NextCommand;
}

/**
 * There is no folder to verify. `places`: the two paths that were tried. `batch`: the batch of the given name, if a
 * ledger here has one.
 */
export interface NoFolder {
  readonly type: 'no-folder';
  readonly places: readonly [string, string];
  readonly batch: string | undefined;
}

/**
 * Verifies an out folder from its files alone, without the API.
 *
 * @param given a folder or a batch; undefined means the newest batch, and then {@link VoxbatchError} (`no-batch`,
 * `no-ledger`) may be thrown
 * @param readSettings reads the settings of the local ledger, which is consulted only if something is wrong; if it
 * cannot be opened, the store's state is unknown
 */
export async function verify(given: string | undefined, readSettings: ReadSettings): Promise<Verified | NoFolder> {
  const chosen = await chooseFolder(given, readSettings);
  if (chosen.type === 'no-folder') return chosen;
  const found = await verifyOut(chosen.folder);
  // The summary may have come with the folder and name its batch `--out=PLACE`, which a command would parse as a flag.
  const report = found.batch !== undefined && isUsableName(found.batch) ? found : { ...found, batch: undefined };
  const inStore = report.wrongMedia.length === 0 ? undefined : await findInStore(report, readSettings);
  const wrong = report.mismatches.filter(({ where }) => !report.edited.some((name) => where.startsWith(`${name},`)));
  // Writing the files again mends every table, and all media that the store still has. Each wrong medium is one
  // mismatch.
  const lost = report.wrongMedia.filter(({ row }) => inStore?.damaged.some((one) => one.row === row) === true).length;
  const isUnwritten = chosen.batch !== undefined && !existsSync(join(report.folder, SUMMARY_FILE));
  const isOpen = isUnwritten && (await stateHere(chosen.batch, readSettings)) === 'open';
  const name = report.batch ?? chosen.batch;
  return {
    type: 'verified',
    report,
    faults: wrong.map(describeMismatch),
    inStore,
    rewrite: isOpen ? 'not-ended' : wrong.length > lost ? 'wrong' : report.unfinished > 0 ? 'unfinished' : undefined,
    write: { command: 'results', args: name === undefined ? ['BATCH'] : [name, ...outArgs(name, report.folder)] },
  };
}

type ReadSettings = () => Promise<Settings>;

/** Checks which of the wrong media the local store still has. Undefined if no ledger here knows the batch. */
function findInStore(report: VerifyReport, readSettings: ReadSettings): Promise<DamagedInStore | undefined> {
  return withLedgerIfAny(readSettings, async (ledger, { store, env }) => {
    const damaged = await findDamaged(report, { ledger, store: lazyFileReader(store, env) });
    const batch = report.batch === undefined ? undefined : await ledger.findBatch(report.batch);
    return damaged && { store, damaged, isRequestRemoved: batch !== undefined && areRowsCleaned(batch) };
  });
}

/**
 * Prefers a folder with a summary, then the folder of the batch of that name, then any folder. `batch`: the named
 * batch, if any.
 */
async function chooseFolder(
  given: string | undefined,
  readSettings: ReadSettings,
): Promise<{ readonly type: 'folder'; readonly folder: string; readonly batch: string | undefined } | NoFolder> {
  const type = 'folder';
  if (given === undefined) {
    const ledger = await openRecords(await readSettings(), { mustExist: true });
    const { name } = await chooseBatch(ledger, undefined).finally(() => ledger.close());
    return { type, folder: resolve(defaultOut(name)), batch: name };
  }
  const places = [
    { folder: resolve(given), batch: undefined },
    { folder: resolve('out', given), batch: given },
  ] as const;
  const found =
    places.find(({ folder }) => existsSync(join(folder, SUMMARY_FILE))) ??
    places.find(({ folder }) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
  if (found !== undefined) return { type, ...found };
  const [{ folder }, ofBatch] = places;
  const isKnown = (await stateHere(given, readSettings)) !== undefined;
  return { type: 'no-folder', places: [folder, ofBatch.folder], batch: isKnown ? given : undefined };
}

/** The state of the batch of this name, if a local ledger has it. */
function stateHere(name: string, readSettings: ReadSettings): Promise<BatchRecord['state'] | undefined> {
  return withLedgerIfAny(readSettings, async (ledger) => (await ledger.findBatch(name))?.state);
}

/** Queries the local ledger; undefined if there is none that can be opened. */
async function withLedgerIfAny<T>(
  readSettings: ReadSettings,
  query: (ledger: Ledger, settings: Settings) => Promise<T>,
): Promise<T | undefined> {
  let settings: Settings;
  let ledger: Ledger;
  try {
    settings = await readSettings();
    ledger = await openRecords(settings, { mustExist: true });
  } catch {
    return undefined;
  }
  return query(ledger, settings).finally(() => ledger.close());
}
