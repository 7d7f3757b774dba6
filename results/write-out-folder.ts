import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { RESULTS_XLSX, OUTCOMES } from '../contract/outcomes.ts';
import { REPORT_FILE } from '../contract/report.ts';
import { DEFAULT_TABLE_FORMAT } from '../contract/table-format.ts';
import { numberColumns } from '../inputs/number-columns.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import type { Counts, Money } from '../ledger/batches/counts.ts';
import { BatchFiles, type Kept } from './batch-files.ts';
import { ALL_FILES, PROJECTED_FILES } from './out-files.ts';
import { acceptedCopy, keepFormer } from './former-files.ts';
import { writtenLast } from './redrive/edited-tables.ts';
import type { WorkbookAnswer } from './workbook/write-workbook.ts';
import { type OnFiles, countMade, type FinishedLine, type JoinedLine } from './sound/sound-lists.ts';
import { inChunks } from './in-chunks.ts';
import { placeFile, type Placed, type StoredFiles } from './place-file.ts';
import { Findings, type Mismatch } from './verification/mismatch.ts';
import { MEDIA_FOLDER } from '../inputs/output-name.ts';
import { NewestRequestFinder } from './newest-request.ts';
import { RealFolders } from './real-folders.ts';
import { receiptsOf } from './receipt.ts';
import { resultFields, type RowFile, type ScannedRow } from './result-line.ts';
import { OutReport, type OutReportMade, type WantedReport } from './report/out-report.ts';
import { RowCheck, type DamagedResult } from './verification/row-check.ts';
import { JoinedGroups, makeJoined, type JoiningStore } from './sound/make-joined.ts';
import type { FinishingStore } from './sound/make-finished.ts';
import { StaleMedia } from './stale-media.ts';
import { summarize, type Summary } from './summary.ts';
import { Tally } from './tally.ts';
import { sweepParts } from './atomic-file.ts';
import { lstatsOf, requireFiles } from './files.ts';

/** The batch to project (to write as files from its records in the ledger), and the target folder. */
export interface ProjectionRequest {
  readonly ledger: Ledger;
  readonly store: JoiningStore & FinishingStore;
  /** Name of the batch. */
  readonly batch: string;
  /** The folder for `summary.json`; created if needed. */
  readonly out: string;
  /** True for a batch that should be over, so that a row without an outcome is a mismatch. */
  readonly complete: boolean;
  /** Written to the summary. */
  readonly voxbatchVersion: string;
  /** Whether to write `results.xlsx`. Default: if the batch's settings say so, or an earlier projection wrote one. */
  readonly xlsx?: boolean | undefined;
  /** The report to write. Default: none; the folder's report stays as it is. */
  readonly report?: WantedReport | undefined;
  /** Called while files are joined, then while copies are finished: before the first and after each. */
  readonly onFilesMade?: ((made: FilesMade) => void) | undefined;
}

/** Progress of a step that makes files. */
export interface FilesMade {
  readonly step: 'join' | 'finish';
  readonly done: number;
  readonly all: number;
}

/** Result of writing an out folder. Any mismatch means exit code 15. */
export interface Projection extends OutReportMade {
  readonly counts: Counts;
  readonly money: Money;
  /** Differences found between ledger, store and files. */
  readonly mismatches: readonly Mismatch[];
  /** Rows whose stored files are missing or altered: writing the files again cannot help. */
  readonly damaged: readonly DamagedResult[];
  /** Outcome of each file that `--join` asks for; null without `--join`. */
  readonly joined: readonly JoinedLine[] | null;
  /** Outcome of each finished copy; null if none were requested. */
  readonly finished: readonly FinishedLine[] | null;
  /** Whether `results.xlsx` was written; null if it was not wanted. */
  readonly workbook: WorkbookAnswer | null;
  /** Files that were kept under other names before they were replaced. */
  readonly kept: Kept;
}

/** Rows whose media are placed concurrently; other work of the process gets its turn in between. */
const ROWS_AT_ONCE = 32;

/**
 * Writes all files of a batch: tables, receipts, summary, media. Spends nothing and may be repeated at any time; the
 * same ledger gives the same bytes. Each file appears complete or not at all. Throws if the folder cannot be written,
 * has a symbolic link on the way to a file (`LinkedFolder`) or a folder or pipe in the place of one (`NotAFile`), or
 * the ledger cannot be read; the tables then stay unchanged.
 */
export async function writeOutFolder(request: ProjectionRequest): Promise<Projection> {
  const { ledger, out } = request;
  const batch = await readBatch(request);
  const before = await readSums(request);
  await mkdir(out, { recursive: true });
  await requireFiles(out, ALL_FILES);
  await sweepParts(out);
  const work = await beginWork(request, batch);
  const { tally, findings, check, stale, files, report } = work;
  try {
    await report.begin(batch);
    await writeRows(work, request);
    await stale.remove(work.folders, (name) => check.isTaken(name));
    const sound = await makeSound(work, request);
    const after = await readSums(request);
    findings.compare('rows written', batch.rows, tally.rows);
    // While a batch runs, its sums may change during the scan, so they can only be compared if they did not. Those of a
    // batch that should be over must not change any more, so they are compared in any case.
    if (request.complete || JSON.stringify(before) === JSON.stringify(after)) compareSums(after, work);
    const acceptedAt = await acceptedCopy(ledger);
    const workbook = await sealFiles(work, request, { sound, reserved: after.money.reserved, acceptedAt });
    await report.seal(after.money);
    const kept = await publishAlone(files, report, request, acceptedAt);
    const { damaged } = check;
    return { ...after, ...sound, workbook, ...report.made, mismatches: findings.list(), damaged, kept };
  } finally {
    await stale.dispose();
    await files.abandon();
    await report.abandon();
  }
}

/** What is under way while the files of a batch are written. */
type Work = Awaited<ReturnType<typeof beginWork>>;

async function beginWork(request: ProjectionRequest, batch: BatchRecord) {
  const { ledger, out } = request;
  const { join: joining } = batch.settings.reading;
  const findings = new Findings();
  return {
    batch,
    findings,
    tally: new Tally(),
    newest: new NewestRequestFinder(),
    check: new RowCheck(batch, request.complete, findings),
    stale: new StaleMedia(batch, ledger, out),
    folders: new RealFolders(out),
    groups: joining === undefined ? undefined : new JoinedGroups(batch, joining),
    files: await BatchFiles.create(out, batch.columns, batch.settings.table ?? DEFAULT_TABLE_FORMAT),
    report: new OutReport(request),
  };
}

/** Writes each row to the tables, its requests to the receipts, and its files to the folder. */
async function writeRows(work: Work, { ledger, store }: ProjectionRequest): Promise<void> {
  const { batch, check } = work;
  for await (const chunk of inChunks(ledger.scanRows(batch.name), ROWS_AT_ONCE)) {
    const named = chunk.map((scanned) => ({ scanned, rowFiles: check.filesOf(scanned) }));
    for (const { scanned, rowFiles } of named) {
      const { row, charges } = scanned;
      work.tally.addRow(row.outcome, row.failure?.class, row.state);
      for (const charge of charges) work.tally.addCharge(charge);
      work.groups?.add(row);
      const fields = resultFields(scanned, batch.name, rowFiles[0]?.name ?? '');
      const receipts = receiptsOf(scanned, rowFiles);
      work.newest.add(receipts);
      await work.files.add(row.input, fields, receipts);
      await work.report.add(scanned, fields);
    }
    for (const { scanned, file, became } of await placeAll(named, store, work.folders, work.stale))
      check.placed(scanned, file, became);
    await setImmediate();
  }
}

/** Completes the tables, if wanted with a workbook, and the summary. `reserved`: credits; `acceptedAt`: of a copy. */
async function sealFiles(
  { batch, tally, newest, files }: Work,
  request: ProjectionRequest,
  { sound, reserved, acceptedAt }: { sound: SoundFiles; reserved: number; acceptedAt: string | undefined },
): Promise<WorkbookAnswer | null> {
  const summaryOf = (hashes: Readonly<Record<string, string>>): Summary => ({
    ...summarize(batch, tally, reserved, hashes, request.voxbatchVersion),
    ledger: request.ledger.id,
    newest_request: newest.found,
    ...(acceptedAt !== undefined && { accepted_copy: acceptedAt }),
    ...countSound(sound),
  });
  const numbers = numberColumns(batch.columns, batch.settings.reading);
  const workbook = (await wantsWorkbook(request, batch)) ? await files.addWorkbook(summaryOf, numbers) : null;
  await files.seal(summaryOf);
  return workbook;
}

/** The files made from the audio of several rows, or as finished copies; null if none were requested. */
type SoundFiles = Pick<Projection, 'joined' | 'finished'>;

/** Joins files and finishes copies, if requested, and lists them. */
async function makeSound(
  { batch, folders, check, groups, files }: Work,
  { ledger, store, onFilesMade }: ProjectionRequest,
): Promise<SoundFiles> {
  const isTaken = (name: string): boolean => check.isTaken(name);
  const { finish: finishing } = batch.settings.reading;
  const onFiles = (step: FilesMade['step']): OnFiles => {
    return (done, all) => onFilesMade?.({ step, done, all });
  };
  const making = { ledger, store, batch, folders, isTaken };
  const joined = groups === undefined ? null : await makeJoined({ ...making, groups, onFiles: onFiles('join') });
  if (joined !== null) await files.addJoined(joined);
  if (finishing === undefined) return { joined, finished: null };
  // Loaded here, because few batches finish copies.
  const { makeFinished } = await import('./sound/make-finished.ts');
  const finished = await makeFinished({ ...making, finishing, joined, onFiles: onFiles('finish') });
  await files.addFinished(finished);
  return { joined, finished };
}

/** Counts joined files and finished copies, for the summary. */
function countSound({ joined, finished }: SoundFiles): Pick<Summary, 'joined' | 'finished'> {
  return {
    ...(joined && { joined: { files: countMade(joined), incomplete: joined.length - countMade(joined) } }),
    ...(finished && { finished: { files: countMade(finished), failed: finished.length - countMade(finished) } }),
  };
}

/** Returns whether to write `results.xlsx`. */
async function wantsWorkbook({ xlsx, out }: ProjectionRequest, { settings }: BatchRecord): Promise<boolean> {
  return xlsx ?? (settings.xlsx === true || RESULTS_XLSX in (await writtenLast(out)));
}

/**
 * Places the media of rows that ended at `since` (ms since 1970) or later, and writes nothing else: cheap enough to
 * repeat while a batch runs. Returns how many files were new. Ignores files that cannot be placed: the next projection
 * reports them. Choose `since` a little before the last call, so that no row is missed. With 0 it also removes stale
 * media of earlier takes.
 */
export async function linkNewMedia(request: ProjectionRequest, since: number): Promise<number> {
  const batch = await readBatch(request);
  const check = new RowCheck(batch, false, new Findings());
  const stale = new StaleMedia(batch, request.ledger, request.out);
  const folders = new RealFolders(request.out);
  // Stale media may belong to reopened rows, which have no end time, so all rows are read if media exist.
  const readsAll = since === 0 && (await lstatsOf(join(request.out, MEDIA_FOLDER))) !== undefined;
  let placed = 0;
  try {
    for await (const chunk of inChunks(
      request.ledger.scanRows(batch.name, readsAll ? {} : { endedSince: since }),
      ROWS_AT_ONCE,
    )) {
      const named = chunk.map((scanned) => ({ scanned, rowFiles: check.filesOf(scanned) }));
      const files = await placeAll(named, request.store, folders, readsAll ? stale : undefined);
      placed += files.filter(({ became }) => became === 'placed').length;
      await setImmediate();
    }
    if (readsAll) await stale.remove(folders, (name) => check.isTaken(name));
  } finally {
    await stale.dispose();
  }
  return placed;
}

/**
 * Publishes the files under a lock, so that two commands that finish a batch at once neither mix their tables nor
 * replace a table that the other is comparing.
 */
async function publishAlone(
  files: BatchFiles,
  report: OutReport,
  { out, batch, ledger }: ProjectionRequest,
  acceptedAt: string | undefined,
): Promise<Kept> {
  const unlock = await ledger.lockForFiles();
  try {
    const former = await keepFormer(out, [...PROJECTED_FILES, REPORT_FILE], batch, ledger, acceptedAt);
    return { tables: [...(await files.publish()), ...(await report.publish())], former };
  } finally {
    unlock();
  }
}

/** A row and the files to place for it. */
interface NamedRow {
  readonly scanned: ScannedRow;
  readonly rowFiles: readonly RowFile[];
}

/** Places the files of some rows concurrently, and collects stale media in `stale`. */
async function placeAll(
  rows: readonly NamedRow[],
  store: StoredFiles,
  folders: RealFolders,
  stale: StaleMedia | undefined,
): Promise<readonly { scanned: ScannedRow; file: RowFile; became: Placed }[]> {
  if (stale !== undefined) for (const { scanned } of rows) await stale.add(scanned);
  const files = rows.flatMap(({ scanned, rowFiles }) => rowFiles.map((file) => ({ scanned, file })));
  // Check all before placing any.
  await folders.require(files.map(({ file }) => file.name));
  return Promise.all(
    files.map(async ({ scanned, file }) => {
      const became = await placeFile(file, store, folders);
      if (became !== 'kept' && became !== 'placed') stale?.markLost(file);
      return { scanned, file, became };
    }),
  );
}

async function readBatch({ ledger, batch }: ProjectionRequest): Promise<BatchRecord> {
  const record = await ledger.findBatch(batch);
  if (record === undefined) throw new Error(`expected a batch in the ledger, but there is none named ${batch}`);
  return record;
}

async function readSums({ ledger, batch }: ProjectionRequest): Promise<{ counts: Counts; money: Money }> {
  return { counts: await ledger.counts(batch), money: await ledger.money(batch) };
}

/** Compares the sums of the lines with the ledger's. */
function compareSums(
  { counts, money }: Pick<Projection, 'counts' | 'money'>,
  { batch: { state }, tally, findings }: Work,
): void {
  findings.compare('rows counted by the ledger', counts.total, tally.rows);
  for (const outcome of OUTCOMES) {
    findings.compare(`rows that ended ${outcome}`, counts.outcomes[outcome], tally.outcomes[outcome]);
  }
  findings.compare('rows that are not chosen', counts.notChosen, tally.notChosen);
  const { charged, reserved, uncertain } = tally.credits;
  findings.compareCredits('sum of charged credits', money.charged, charged);
  // While the batch is open, the ledger also reserves credits for later steps, which are on no receipt.
  const known = state === 'closed' ? money.reserved : Math.min(money.reserved, reserved);
  findings.compareCredits('sum of reserved credits', known, reserved);
  findings.compareCredits('sum of uncertain credits', money.uncertain, uncertain);
}
