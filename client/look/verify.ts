import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { defaultOut, isUsableName } from '../../contract/batch-name.ts';
import { findDamaged } from '../../batches/redrive/find-loss.ts';
import type { NextCommand } from '../../contract/shell-word.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { SUMMARY_FILE } from '../../results/names.ts';
import { describeMismatch } from '../../results/verification/mismatch.ts';
import type { DamagedResult } from '../../results/verification/row-check.ts';
import { verifyOut, type VerifyReport } from '../../results/verification/verify.ts';
import { chooseBatch, openRecords } from '../open-records.ts';
import type { Settings } from '../settings.ts';
import { outArgs } from './continue-command.ts';

/** Rows whose results the store lacks, too. */
export interface DamagedInStore {
  readonly store: string;
  readonly damaged: readonly DamagedResult[];
  /** What its rows asked for is gone, so none can be redriven. */
  readonly isRequestRemoved: boolean;
}

/** What was found in an out folder. */
export interface Verified {
  readonly type: 'verified';
  readonly report: VerifyReport;
  /** What does not add up, each in words, without what follows from a table that somebody has edited, as one may. */
  readonly faults: readonly string[];
  /** Undefined: all media are right, or no ledger here knows the batch. */
  readonly inStore: DamagedInStore | undefined;
  /** Why its files can be written again. Undefined: that would change nothing. */
  readonly rewrite: 'not-ended' | 'wrong' | 'unfinished' | undefined;
  /** Writes them. */
  readonly write: NextCommand;
}

/** There is no folder to verify. `name`: the batch, where a ledger here has one of this name. */
export interface NoFolder {
  readonly type: 'no-folder';
  readonly places: readonly [string, string];
  readonly batch: string | undefined;
}

/**
 * Checks an out folder from its files alone, without the API. `given`: a folder or a batch; undefined: the newest batch.
 * `readSettings`: those of the ledger here, which is asked only where something is wrong; if it cannot be opened, nothing
 * is known of the store. Throws {@link VoxbatchError} (`no-batch`, `no-ledger`) where the newest batch is meant.
 */
export async function verify(given: string | undefined, readSettings: ReadSettings): Promise<Verified | NoFolder> {
  const chosen = await chooseFolder(given, readSettings);
  if (chosen.type === 'no-folder') return chosen;
  const found = await verifyOut(chosen.folder);
  // Its summary may have come with the folder, and name a batch `--out=PLACE`, which a command would take for a flag.
  const report = found.batch !== undefined && isUsableName(found.batch) ? found : { ...found, batch: undefined };
  const inStore = report.wrongMedia.length === 0 ? undefined : await lookIntoStore(report, readSettings);
  const wrong = report.mismatches.filter(({ where }) => !report.edited.some((name) => where.startsWith(`${name},`)));
  // Everything the store still has, and every table, can be written again. Each wrong medium is one mismatch.
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

/** Which of the wrong media the store of this folder has. Undefined if no ledger here knows the batch. */
function lookIntoStore(report: VerifyReport, readSettings: ReadSettings): Promise<DamagedInStore | undefined> {
  return askIfAny(readSettings, async (ledger, { store }) => {
    const damaged = await findDamaged(report, { ledger, store });
    const batch = report.batch === undefined ? undefined : await ledger.findBatch(report.batch);
    return damaged && { store, damaged, isRequestRemoved: batch !== undefined && areRowsCleaned(batch) };
  });
}

/** Prefers a folder that holds a summary, then the folder of a batch of that name, then any folder. `batch`: the one that was named, if any. */
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

/** The state of the batch of this name, if there is a ledger here and it has it. */
function stateHere(name: string, readSettings: ReadSettings): Promise<BatchRecord['state'] | undefined> {
  return askIfAny(readSettings, async (ledger) => (await ledger.findBatch(name))?.state);
}

/** The answer of the ledger here; undefined if there is none that can be opened. */
async function askIfAny<T>(
  readSettings: ReadSettings,
  question: (ledger: Ledger, settings: Settings) => Promise<T>,
): Promise<T | undefined> {
  let settings: Settings;
  let ledger: Ledger;
  try {
    settings = await readSettings();
    ledger = await openRecords(settings, { mustExist: true });
  } catch {
    return undefined;
  }
  return question(ledger, settings).finally(() => ledger.close());
}
