import type { By } from '../contract/actions.ts';
import type { BatchSettings } from '../contract/batch.ts';
import { defined } from '../contract/defined.ts';
import { DEFAULT_TABLE_FORMAT } from '../contract/table-format.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import type { ManifestRow } from '../inputs/manifest-options.ts';
import { readManifest } from '../inputs/read-manifest.ts';
import { BatchExists, LoadTakenOver } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { MonthClaim } from '../ledger/schedules/occurrence-records.ts';
import type { BatchRecord, Loading, NewBatch } from '../ledger/batches/batch-records.ts';
import type { LoadedRow } from '../ledger/rows/row-records.ts';
import { inChunks } from '../results/in-chunks.ts';
import { compareBatch, readingOf, type ComparedBatch, type TakenName } from './taken-name.ts';

/** Rows written per transaction: running batches wait for it. */
const ROWS_A_TRANSACTION = 500;
/** Max tries if others take the load over: two processes whose lock does not work must not compete forever. */
const MAX_LOADS = 3;

/** A checked manifest and the batch to make of it. The check's digest proves that the same bytes are loaded. */
export interface LoadRequest extends ComparedBatch {
  readonly ledger: Ledger;
  readonly source: ManifestSource;
  /** The claim on the month's budget, if a schedule with a monthly budget fired it. */
  readonly month?: MonthClaim | undefined;
  /** Who starts it. */
  readonly by: By;
}

/** Result of loading: a new batch, an existing one, or none, because its name is taken. */
export type LoadAnswer = { readonly type: 'new' | 'known'; readonly batch: BatchRecord } | TakenName;

/**
 * Finds the batch of this identity in the ledger, or creates it with all its rows.
 *
 * Rows are written in several transactions, so that a large manifest does not lock running batches out of the ledger.
 * Until the last one, the batch is `loading` and never starts. A ledger lock serializes concurrent starts; a killed
 * load is discarded and repeated. So is one that still runs, but has lost its lock: it then waits for whoever took it
 * over, and finds that batch.
 *
 * @throws ManifestError if the manifest changed since it was checked.
 * @throws MonthUsedUp if the month's budget cannot pay one row.
 * @throws LoadTakenOver if others took the load over and left no batch, or did so {@link MAX_LOADS} times.
 */
export async function findOrLoadBatch(request: LoadRequest): Promise<LoadAnswer> {
  let lost: LoadTakenOver | undefined;
  for (let begun = 0; begun < MAX_LOADS; begun += 1) {
    const unlock = await request.ledger.lockForLoading();
    try {
      const found = await request.ledger.findBatch(request.identity.name);
      if (found !== undefined && found.state !== 'loading') return compareBatch(found, request);
      // Whoever took over has removed the batch since, perhaps on purpose: its schedule's firing may have been ended.
      if (found === undefined && lost !== undefined) throw lost;
      await request.ledger.discardLoading(request.identity.name);
      return { type: 'new', batch: await load(request) };
    } catch (error) {
      if (!(error instanceof LoadTakenOver) || error === lost) throw error;
      lost = error;
    } finally {
      unlock();
    }
  }
  throw lost ?? new LoadTakenOver(request.identity.name);
}

/** Writes all rows of a new batch, then opens it. */
async function load(request: LoadRequest): Promise<BatchRecord> {
  const { ledger, identity, settings, checked, source } = request;
  const { columns } = checked;
  const reading = readingOf(request);
  const { format } = source;
  const { subset = null } = request.options;
  const batch = {
    ...identity,
    settings: { ...settings, reading, ...tablesOf(format, settings) },
    columns,
    source: source.label,
    subset,
  };
  const loading = await begin(ledger, batch, request.month);
  let count = 0;
  // The parts of split texts are numbered after all rows.
  let nextPart = checked.rows + 1;
  const loaded = ({ row, id, line, spec, input, quoted, waitsFor, parts }: ManifestRow): LoadedRow => {
    const first = nextPart;
    nextPart += parts?.length ?? 0;
    return {
      row,
      id,
      line,
      spec,
      input,
      quoted,
      isNotChosen: !checked.isChosen({ row, id }),
      ...defined({ waitsFor, parts: parts && { first, rows: parts } }),
    };
  };
  for await (const rows of inChunks(readManifest(source, request.options, checked), ROWS_A_TRANSACTION)) {
    await ledger.addRows(loading, rows.map(loaded));
    count += rows.length;
  }
  await ledger.openBatch(loading, count, { ...request.by, credits: checked.quoted });
  // Frees the memory of rows kept from the check.
  source.rows.drop();
  const opened = await ledger.findBatch(identity.name);
  if (opened === undefined) throw new Error(`Batch "${identity.name}" vanished from the ledger while it was loaded.`);
  return opened;
}

/** Creates the batch. Throws LoadTakenOver if somebody else has created it since its name was free. */
async function begin(ledger: Ledger, batch: NewBatch, month: MonthClaim | undefined): Promise<Loading> {
  try {
    return await ledger.createBatch(batch, month);
  } catch (error) {
    throw error instanceof BatchExists ? new LoadTakenOver(batch.name) : error;
  }
}

/** Returns the format of the result tables: that of the manifest. Excel recognises UTF-8 by a byte order mark. */
function tablesOf(
  format: ManifestSource['format'],
  { xlsx = true }: Pick<BatchSettings, 'xlsx'>,
): Pick<BatchSettings, 'table' | 'xlsx'> {
  switch (format.format) {
    case 'csv':
      return { table: { delimiter: format.delimiter, bom: format.bom } };
    case 'xlsx':
      return { table: { ...DEFAULT_TABLE_FORMAT, bom: true }, xlsx };
    case 'jsonl':
      return {};
  }
}
