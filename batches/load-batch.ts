import type { By } from '../contract/actions.ts';
import { legacyShareOf, type BatchSettings, type Reading } from '../contract/batch.ts';
import { defined } from '../contract/defined.ts';
import { PLAIN_TABLE } from '../contract/table-format.ts';
import { realmDifference } from '../contract/names.ts';
import { headerFor } from '../inputs/header-names.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import type { ManifestOptions, ManifestRow } from '../inputs/manifest-options.ts';
import { readManifest, type ManifestSummary } from '../inputs/read-manifest.ts';
import type { VoiceMaker } from '../inputs/voices/voice-uses.ts';
import { BatchExists, LoadTakenOver } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Subset } from '../contract/subset.ts';
import type { MonthClaim } from '../ledger/schedules/occurrence-records.ts';
import type { BatchIdentity, BatchRecord, LoadedRow, Loading, NewBatch } from '../ledger/record-types.ts';
import { isSameCast, isSameReading } from './batch-settings.ts';
import { inChunks } from '../results/in-chunks.ts';

const ROWS_A_TRANSACTION = 500;
/** How often a load is begun that others take over: two whose lock keeps nobody out must not do that for ever. */
const MOST_LOADS = 3;

/** A checked manifest, and the batch to make of it. */
export interface LoadRequest {
  readonly ledger: Ledger;
  readonly source: ManifestSource;
  readonly options: ManifestOptions;
  readonly identity: BatchIdentity;
  readonly settings: BatchSettings;
  /** Whether any option changes the meaning of the rows; if not, the recorded options apply. */
  readonly givesReading: boolean;
  /** Whether a file name template was given; if not, the recorded one applies. */
  readonly givesTemplate: boolean;
  /** Whether the configuration says how rows are read. Default false. */
  readonly isConfigured?: boolean;
  /** The result of the check; its digest proves that the same bytes are loaded. */
  readonly checked: ManifestSummary;
  /** The month's budget that pays for it, if a schedule with a monthly budget fired it. */
  readonly month?: MonthClaim | undefined;
  /** Who starts it. */
  readonly by: By;
}

/** How a batch differs from another one with its name. */
export type BatchDifference = 'api' | 'account' | 'manifest' | 'dialect' | 'reading' | 'file-names';

/** Another batch has the name. Nothing was changed. */
export interface TakenName {
  readonly type: 'taken';
  /** The batch that has it. */
  readonly batch: BatchRecord;
  /** The first difference. */
  readonly differs: BatchDifference;
  /** The rows requested this time; null means all. */
  readonly subset: Subset | null;
  /** How the manifest was to be read this time. */
  readonly wanted: Reading;
  /** Whether flags alone can ask for the reading of that batch: no configuration and no changed cast is in their way. */
  readonly canAskAgain: boolean;
  /**
   * True if that batch can be redriven from this manifest as an edited copy: user-given ids identify its rows, and it
   * has no more rows than the batch.
   */
  readonly canRedrive: boolean;
  /** The manifest's rows that make voices; under another batch name they would make them again. */
  readonly makers: readonly VoiceMaker[];
}

/** Result of loading: a new batch, an existing one, or none, because its name is taken. */
export type LoadAnswer = { readonly type: 'new' | 'known'; readonly batch: BatchRecord } | TakenName;

/**
 * Finds the batch of this identity in the ledger, or creates it with all its rows.
 *
 * Rows are written in several transactions, so that a large manifest does not lock running batches out of the ledger.
 * Until the last one, the batch is `loading` and never starts. A ledger lock serializes concurrent starts; a killed
 * load is discarded and repeated. So is one that still runs, but has lost its lock: it then waits for whoever took it over,
 * and finds that batch.
 *
 * @throws ManifestError if the manifest is no longer the one that was checked.
 * @throws MonthUsedUp if its month cannot pay one row.
 * @throws LoadTakenOver if whoever took its load over leaves no batch, or others did so again and again.
 */
export async function findOrLoadBatch(request: LoadRequest): Promise<LoadAnswer> {
  let lost: LoadTakenOver | undefined;
  for (let begun = 0; begun < MOST_LOADS; begun += 1) {
    const unlock = await request.ledger.lockForLoading();
    try {
      const found = await request.ledger.findBatch(request.identity.name);
      if (found !== undefined && found.state !== 'loading') return compareBatch(found, request);
      // Whoever removed it may have wanted that there is none, because its firing was ended from outside.
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
  // Parts are numbered after all rows.
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
  source.rows.drop();
  const opened = await ledger.findBatch(identity.name);
  if (opened === undefined) throw new Error(`Batch "${identity.name}" vanished from the ledger while it was loaded.`);
  return opened;
}

/** Creates the batch. Whoever has created it since its name was free has taken the load over. */
async function begin(ledger: Ledger, batch: NewBatch, month: MonthClaim | undefined): Promise<Loading> {
  try {
    return await ledger.createBatch(batch, month);
  } catch (error) {
    throw error instanceof BatchExists ? new LoadTakenOver(batch.name) : error;
  }
}

/** How the results of a manifest are written: like itself. Excel recognises UTF-8 by a byte order mark. */
function tablesOf(
  format: ManifestSource['format'],
  { xlsx = true }: Pick<BatchSettings, 'xlsx'>,
): Pick<BatchSettings, 'table' | 'xlsx'> {
  switch (format.format) {
    case 'csv':
      return { table: { delimiter: format.delimiter, bom: format.bom } };
    case 'xlsx':
      return { table: { ...PLAIN_TABLE, bom: true }, xlsx };
    case 'jsonl':
      return {};
  }
}

/** The parts of a batch that are compared with an existing batch of its name. */
export type ComparedBatch = Pick<
  LoadRequest,
  'identity' | 'settings' | 'givesReading' | 'givesTemplate' | 'isConfigured' | 'options' | 'checked'
>;

/** Whether the existing batch of this name is the intended one. */
export function compareBatch(
  batch: BatchRecord,
  request: ComparedBatch,
): { readonly type: 'known'; readonly batch: BatchRecord } | TakenName {
  const differs = findDifference(batch, request);
  if (differs === undefined) return { type: 'known', batch };
  const { options, checked } = request;
  const hasIds = checked.columns.includes(headerFor('id', checked.columns, readingOf(request)));
  return {
    type: 'taken',
    batch,
    differs,
    subset: options.subset ?? null,
    wanted: readingOf(request),
    canAskAgain: request.isConfigured !== true && isSameCast(batch.settings.reading, readingOf(request)),
    canRedrive: differs === 'manifest' && hasIds && checked.rows <= batch.rows,
    makers: checked.voices.makers,
  };
}

/** How the manifest is read: of a map for all manifests only what this one has a column for. */
function readingOf({ settings, checked }: Pick<LoadRequest, 'settings' | 'checked'>): Reading {
  const { reading } = settings;
  return { ...reading, map: { ...checked.mapUsed, ...reading.map } };
}

function findDifference(found: BatchRecord, request: ComparedBatch): BatchDifference | undefined {
  const { identity: wanted, settings, givesTemplate, checked } = request;
  const givesReading = request.givesReading || Object.keys(checked.mapUsed).length > 0;
  const realm = realmDifference(found, wanted);
  if (realm !== undefined) return realm;
  if (found.digest !== wanted.digest) return 'manifest';
  if (givesReading && legacyShareOf(found.settings) !== legacyShareOf(settings)) return 'dialect';
  if (givesReading && !isSameReading(found.settings.reading, readingOf(request))) return 'reading';
  if (givesTemplate && found.settings.nameTemplate !== settings.nameTemplate) return 'file-names';
  return undefined;
}
