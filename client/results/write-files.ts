import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import { gatherLeftovers } from '../../batches/status/leftovers.ts';
import { exitOfView } from '../../batches/status/view-batch.ts';
import { findStandstill, type Standstill } from '../../batches/status/standstill.ts';
import { viewPilot, type Pilot } from '../../batches/subset/pilot.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { writeOutFolder, type Projection, type ProjectionRequest } from '../../results/write-out-folder.ts';
import { describeMismatch } from '../../results/verification/mismatch.ts';
import { refuseCleaned } from '../clean/clean.ts';
import { openStore } from '../../store/open-store.ts';
import type { Settings } from '../settings.ts';
import { voxbatchVersion } from '../version.ts';
import type { Finished } from '../status/next-steps.ts';
import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import { wantedReport, type Reporting } from '../report/wanted-report.ts';
import type { Session } from '../session.ts';
import { requireStore } from '../claim-store.ts';
import { isDeserted } from '../temporal/home-processes.ts';
import { claimOut } from './claim-out.ts';
import { adviceFor } from '../status/continue-command.ts';

/** Which files to write, and where. */
export interface WriteRequest extends Pick<ProjectionRequest, 'onFilesMade' | 'xlsx'>, Reporting {
  readonly ledger: Ledger;
  readonly settings: Settings;
  /** Default: the store in the settings, opened read-only. */
  readonly store?: ProjectionRequest['store'];
  readonly batch: BatchRecord;
  /** The out folder, created if needed. Default: the batch's default out folder. */
  readonly out?: string | undefined;
}

/** A batch's written files and its state. */
export interface WrittenFiles extends Projection {
  readonly batch: BatchRecord;
  /** Absolute. */
  readonly out: string;
  /** The batch's exit code, or `mismatch` if something does not add up. */
  readonly exit: ExitName;
  /** Discrepancies, as sentences. */
  readonly faults: readonly string[];
}

/**
 * Writes the tables, the summary and the media of a batch in their current state. Can be repeated at any time, even
 * while the batch runs. Throws {@link VoxbatchError} (`cleaned`, `unwritable-out`, `taken-out`, `linked-out`,
 * `store-missing`, `store-of-another`, `machine`).
 */
export async function writeFiles(request: WriteRequest): Promise<WrittenFiles> {
  const { ledger, settings, batch, out: folder } = request;
  refuseCleaned(batch);
  // With the wrong store, each file would be missing.
  if (request.store === undefined) await requireStore(settings, ledger);
  const out = resolve(folder ?? defaultOut(batch.name));
  await claimOut(out, batch, ledger);
  return writeClaimed({ ...request, out });
}

/** Writes into an out folder that was claimed before anything was paid for. Throws the disk's errors unchanged. */
async function writeClaimed(request: WriteRequest & { readonly out: string }): Promise<WrittenFiles> {
  const { ledger, settings, batch, out, onFilesMade } = request;
  const complete = batch.state === 'closed';
  const store = request.store ?? (await openStore(settings.store, settings.env));
  const names = { batch: batch.name, out, complete, voxbatchVersion: voxbatchVersion() };
  const xlsx = request.xlsx ?? (settings.config.xlsx === true || undefined);
  const report = wantedReport(request);
  const made = await writeOutFolder({ ledger, store, onFilesMade, xlsx, report, ...names });
  const { counts, mismatches } = made;
  return {
    ...made,
    batch,
    out,
    exit: exitOfView({ batch, counts }, mismatches.length > 0),
    faults: mismatches.map(describeMismatch),
  };
}

/** The facts reported at the end of a run. */
export interface EndOfRun extends Finished {
  readonly batch: BatchRecord;
  /**
   * For a finished batch that ran only some of its rows: their results, and prices predicted from them for the others.
   */
  readonly pilot: Pilot | undefined;
}

/** Adds the rows without a result and, for a finished batch, the {@link Pilot} if it left rows out. */
export async function readEnd<S extends Pick<EndOfRun, 'batch' | 'counts' | 'money' | 'out'>>(
  settings: Pick<Settings, 'store' | 'env'>,
  ledger: Ledger,
  sums: S,
): Promise<S & EndOfRun> {
  const { batch, counts } = sums;
  const leftovers = await gatherLeftovers(ledger, batch, counts);
  const isClosed = batch.state === 'closed';
  let stored = 0;
  if (isClosed && counts.notCached > 0) {
    // Seldom needed, so loaded here.
    const { storedRows } = await import('./forgotten-results.ts');
    stored = (await storedRows(settings, ledger, batch)).size;
  }
  return { ...sums, leftovers, stored, pilot: isClosed ? await viewPilot(ledger, batch) : undefined };
}

/** A batch whose files were written in its current state. */
export interface FinishedBatch extends WrittenFiles, EndOfRun {
  readonly batch: BatchRecord;
  /** Absolute. */
  readonly out: string;
  /** Why it is stuck; undefined if it is not, or no reason is known. */
  readonly standstill: Standstill | undefined;
  /** True if it certainly has no worker; false for a batch that has ended. */
  readonly isDeserted: boolean;
  /** What to do before anything can go on with it; undefined if nothing. */
  readonly readOnlyAdvice?: string | undefined;
}

/** Writes a batch's files and returns its final state. Repeatable. Throws as {@link writeClaimed} does. */
export async function finishBatch(
  session: Session,
  {
    batch: name,
    ...place
  }: Pick<WriteRequest, 'onFilesMade' | 'xlsx' | keyof Reporting> & { readonly batch: string; readonly out: string },
): Promise<FinishedBatch> {
  const { settings } = session;
  const [ledger, store] = [await session.ledger(), await session.store()];
  const batch = await ledger.findBatch(name);
  if (batch === undefined) throw new Error(`Batch "${name}" is no longer in the ledger.`);
  const isClosed = batch.state === 'closed';
  return {
    ...(await readEnd(settings, ledger, await writeClaimed({ ...place, ledger, settings, store, batch }))),
    standstill: (await findStandstill(ledger, batch)).standstill,
    isDeserted: !isClosed && (await isDeserted(ledger, settings.home)),
    readOnlyAdvice: await adviceFor(ledger, batch),
  };
}

/**
 * Reads a batch's state without writing files: its exit code, its counts, and whether its rows' inputs were removed.
 */
export async function readBatchState(
  session: Session,
  batch: BatchRecord,
): Promise<Pick<FinishedBatch, 'exit' | 'counts'> & { readonly isCleaned: boolean }> {
  const counts = await (await session.ledger()).counts(batch.name);
  return { counts, exit: exitOfView({ batch, counts }), isCleaned: areRowsCleaned(batch) };
}
