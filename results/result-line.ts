import { posix } from 'node:path';
import * as z from 'zod';
import { FAILURES, type FailureClass } from '../contract/failures.ts';
import { hasResult, OUTCOMES, outcomesThat, wasAccepted } from '../contract/outcomes.ts';
import { overlongMessage } from '../contract/max-seconds.ts';
import { KINDS } from '../contract/row-kinds.ts';
import { byAttempt } from '../contract/batch.ts';
import { roundCredits } from '../contract/price-units.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import type { ChargeRecord } from '../ledger/requests/charge-records.ts';
import type { ResultFile } from '../ledger/records.ts';
import type { RowRecord } from '../ledger/rows/row-records.ts';
import { foldersOf } from '../store/layout.ts';
import { nameIn } from '../inputs/own-operations/own-operation-schema.ts';
import { safeId, UNFIT_FOLDER } from '../inputs/output-name.ts';
import { MEDIA_FOLDER } from '../inputs/output-name.ts';
import { mediaName, UnfitName } from './media-names.ts';

// What a row's line in `results.*` says, and by which rules: its columns, the names of its files, its charges. Receipts
// and `verify` use the same rules.

/**
 * Where `_credits` comes from.
 *
 * - `none`: nothing was charged.
 * - `reported`: every figure is the API's.
 * - `estimated`: some figure is our quote.
 * - `uncertain`: some request may have been charged, or its price is unknown; that part is not in `_credits`.
 */
export const CREDITS_KINDS = ['none', 'reported', 'estimated', 'uncertain'] as const;
/** How far `_credits` can be relied on. */
export type CreditsKind = (typeof CREDITS_KINDS)[number];

/** The result columns of a line in `results.*`; the manifest's columns come before them. */
export const resultSchema = z.looseObject({
  _batch: z.string(),
  /** The row's number in the batch, from 1. */
  _row: z.number().int().positive(),
  _kind: nameIn(KINDS),
  /** Empty while the row has not ended. */
  _outcome: z.enum([...OUTCOMES, '']),
  /** Path of the result below the out folder; empty without one. */
  _file: z.string(),
  _text: z.string(),
  _error_class: z.enum([...(Object.keys(FAILURES) as FailureClass[]), '']),
  _message: z.string(),
  /** Credits charged for the row in all its takes, as far as known. */
  _credits: z.number(),
  _credits_kind: z.enum(CREDITS_KINDS),
  /** The latest take. */
  _take: z.number().int().positive(),
  /** Requests of the latest take. */
  _attempts: z.number().int().nonnegative(),
  _job_ids: z.array(z.string()),
  /** How long the result plays, in seconds; null (in CSV: empty) if it does not play or its length is unknown. */
  _seconds: z.number().nonnegative().nullable(),
});

/** Begins with `_`, by which such a column is told from those of the manifest. */
export type ResultColumn = keyof typeof resultSchema.shape;

/** A line without its input cells. */
export type ResultFields = Readonly<Pick<z.infer<typeof resultSchema>, ResultColumn>>;

/** Columns that follow the input columns in `results.*` and in the outcome files. */
export const RESULT_COLUMNS = Object.keys(resultSchema.shape) as ResultColumn[];

/** A row, whatever its state, and its charges. */
export interface RowWithCharges extends Pick<ScannedRow, 'charges' | 'firstPart'> {
  readonly row: Omit<RowRecord, 'state'>;
}

/** A row and its charges, as the ledger scans them. */
export interface ScannedRow {
  readonly row: RowRecord;
  readonly charges: readonly ChargeRecord[];
  /** For a row with parts: the row number of its first part; the other parts follow. */
  readonly firstPart?: number;
}

/** Max rows whose files share one folder, which is handier: with up to three files a row, fewer than 100,000 files. */
const MAX_FLAT_ROWS = 30_000;

/** The part of a batch that its file names are made from. It never changes, so names are stable. */
export type NamingBatch = Pick<BatchRecord, 'settings' | 'columns' | 'layout' | 'rows'>;

/** A stored file of a row and its destination: a path relative to the out folder, with `/`. */
export interface RowFile {
  readonly name: string;
  readonly file: ResultFile;
}

/**
 * Returns the files of a row: its result first, then its extra files (subtitles). Empty without a result. Files of
 * unfit rows have a folder of their own, and in a large batch so has every group of some thousand rows. Throws
 * `UnfitName`.
 */
export function filesOf(row: RowRecord, batch: NamingBatch): readonly RowFile[] {
  const { settings, columns, layout } = batch;
  const files = row.file === null ? [] : [row.file, ...row.extraFiles];
  const folder = posix.join(
    MEDIA_FOLDER,
    row.outcome === 'unfit' ? UNFIT_FOLDER : '',
    ...(batch.rows > MAX_FLAT_ROWS ? foldersOf(layout, row.row) : []),
  );
  const id = settings.safeIds === true ? safeId(row.id) : row.id;
  return files.map((file) => {
    const name = mediaName(settings.nameTemplate, { ...row, id, columns, extension: file.extension });
    return { name: posix.join(folder, name), file };
  });
}

/** Returns the files of a row like {@link filesOf}; empty if no valid name can be made. */
export function namedFilesOf(row: RowRecord, batch: NamingBatch): readonly RowFile[] {
  try {
    return filesOf(row, batch);
  } catch (error) {
    if (error instanceof UnfitName) return [];
    throw error;
  }
}

/** Returns the result columns of a row. `file`: name of its result below the out folder, empty without one. */
export function resultFields({ row, charges }: ScannedRow, batch: string, file: string): ResultFields {
  const failure = hasResult(row.outcome) ? null : row.failure;
  return {
    _batch: batch,
    _row: row.row,
    _kind: row.kind,
    _outcome: row.outcome ?? '',
    _file: file,
    _text: row.text ?? '',
    _error_class: failure?.class ?? '',
    _message: failure === null ? oddityOf(row) : withRequestId(failure.message, failure.requestId),
    _credits: creditsOf(charges),
    _credits_kind: creditsKindOf(charges),
    _take: row.take,
    _attempts: charges.filter((charge) => charge.take === row.take && wasMade(charge.state)).length,
    _job_ids: charges.flatMap((charge) => charge.jobId ?? []),
    _seconds: row.file?.seconds ?? null,
  };
}

/** Returns what is odd about a valid result, such as that it plays too long, in sentences; empty if nothing is. */
export function oddityOf({ spec, file }: Pick<RowRecord, 'spec' | 'file'>): string {
  return [file?.oddity, overlongMessage(spec, file?.seconds)].filter((one) => one !== undefined).join(' ');
}

const FILED_OUTCOMES: readonly (string | null)[] = outcomesThat(({ hasFile }) => hasFile);

/** Returns whether a row with this outcome must have a result: a file, or an id for rows that make voices. */
export function hasFile(outcome: string | null): boolean {
  return FILED_OUTCOMES.includes(outcome);
}

/** Returns a row's charges in the order of receipts and job ids: part, step, take, attempt. */
export function inOrder({ charges }: Pick<ScannedRow, 'charges'>): ChargeRecord[] {
  return charges.toSorted((a, b) => a.row - b.row || byAttempt(a, b));
}

/** The part of a charge that sums depend on. Receipts have it, too, so `verify` counts by the same rules. */
export interface Charged {
  readonly state: ChargeRecord['state'];
  readonly charged: number | null;
  readonly chargedFrom: ChargeRecord['chargedFrom'];
}

/** Returns true for an attempt that may have been sent. */
export function wasMade(state: ChargeRecord['state']): boolean {
  return state !== 'revoked' && state !== 'cached';
}

/** Returns the sum of the known charges, in credits. */
export function creditsOf(charges: readonly Charged[]): number {
  return roundCredits(charges.reduce((sum, charge) => sum + (charge.charged ?? 0), 0));
}

/** Returns where the sum of charges comes from; see {@link CREDITS_KINDS}. The least certain charge decides. */
export function creditsKindOf(charges: readonly Charged[]): CreditsKind {
  const accepted = charges.filter((charge) => wasAccepted(charge.state));
  if (charges.some((charge) => charge.state === 'unknown') || accepted.some((charge) => charge.charged === null)) {
    return 'uncertain';
  }
  if (accepted.some((charge) => charge.chargedFrom === 'quote')) return 'estimated';
  return accepted.length > 0 ? 'reported' : 'none';
}

function withRequestId(message: string, requestId: string | undefined): string {
  return requestId === undefined || message.includes(requestId) ? message : `${message} (request ${requestId})`;
}
