import * as z from 'zod';
import { isoTime } from '../contract/times.ts';
import { dialectChoiceOf } from '../contract/batch.ts';
import { DIALECT_CHOICE } from '../contract/dialects.ts';
import { CONTROLS, shownControl, OUTCOMES, ROW_STATES } from '../contract/outcomes.ts';
import { decimalOf, DECIMALS, DELIMITERS, DEFAULT_TABLE_FORMAT } from '../contract/table-format.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import { newestRequestSchema } from './newest-request.ts';
import { roundCredits } from '../contract/price-units.ts';
import type { Tally } from './tally.ts';

/** Incremented if a reader of older summaries would misread a newer one. */
const SUMMARY_VERSION = 1;

const count = z.number().int().nonnegative();

/**
 * Returns a schema for a count per name. Names missing in a summary of another version count 0; unknown ones are
 * ignored.
 */
function countsOf<N extends string>(names: readonly N[]): z.ZodObject<Record<N, z.ZodDefault<typeof count>>> {
  return z.object(
    Object.fromEntries(names.map((name) => [name, count.default(0)])) as Record<N, z.ZodDefault<typeof count>>,
  );
}

/**
 * Schema of `summary.json`: the batch when its files were made. It does not contain that time, so that the same state
 * always gives the same file.
 */
export const summarySchema = z.object({
  batch: z.string(),
  /** sha256 of the manifest and of the settings that shape its rows, hex. */
  manifest_digest: z.string(),
  /** Display name of the manifest. */
  manifest: z.string(),
  /** Origin and path of the API. */
  api: z.string(),
  account: z.string(),
  /** Id of the ledger that records the batch; absent in those of earlier versions. */
  ledger: z.string().exactOptional(),
  /** Which API dialect its requests use, in the form of `--api-dialect`. */
  api_dialect: z.string().regex(DIALECT_CHOICE).default('v1'),
  state: z.enum(['loading', 'open', 'closed']),
  /** Whether the batch runs, is paused or is stopping; null once it is closed. Earlier versions kept the last value. */
  control: z.enum(CONTROLS).nullable(),
  /** Why `--halt` stopped the batch, in one sentence; null if it did not. */
  halted: z.string().nullable().default(null),
  /** Spending limit in credits; null for no limit. */
  budget: z.number().nullable().default(null),
  rows: count,
  /** Ended rows by outcome; lists every outcome. */
  outcomes: countsOf(OUTCOMES),
  /** Of the skipped rows, those that `--limit` or `--sample` left out. */
  not_chosen: count.default(0),
  /** Rows that have not ended, by state. */
  states: countsOf(ROW_STATES),
  /**
   * Sums in credits. `charged`: known charges. `reserved`: quotes of requests in flight and, under a budget, of later
   * steps of rows that have begun; 0 once the batch is closed. `uncertain`: quotes of requests that may have been
   * charged. `estimated`: true if some of these figures are quotes, not the API's. `saved`: quotes of rows that used an
   * earlier result. `damaged`: number of requests made because the file of an earlier result was missing or altered.
   */
  credits: z.object({
    charged: z.number(),
    reserved: z.number(),
    uncertain: z.number(),
    estimated: z.boolean(),
    saved: z.number().default(0),
    damaged: count.default(0),
  }),
  /** Files that `--join` made, and those that it could not make yet; absent without `--join`. */
  joined: z.object({ files: count, incomplete: count }).exactOptional(),
  /** Finished copies, and those that could not be made; absent unless they were asked for, by `--loudness` say. */
  finished: z.object({ files: count, failed: count }).exactOptional(),
  /** ISO 8601, UTC. */
  created_at: z.string(),
  /** Time of the first paid request. */
  started_at: z.string().nullable(),
  /** Time when the last row ended. */
  ended_at: z.string().nullable(),
  /** The newest paid request on the receipts; null if none was made; absent in summaries of earlier versions. */
  newest_request: newestRequestSchema.nullable().exactOptional(),
  /** When the ledger was last replaced by a copy, ISO 8601, UTC; absent if it never was. */
  accepted_copy: z.string().exactOptional(),
  versions: z.object({ voxbatch: z.string(), summary: z.literal(SUMMARY_VERSION) }),
  /** Format of the CSV tables: that of the manifest. `decimal`: of numbers; absent for a point. */
  csv: z
    .object({ delimiter: z.enum(DELIMITERS), bom: z.boolean(), decimal: z.enum(DECIMALS).exactOptional() })
    .default(DEFAULT_TABLE_FORMAT),
  /** sha256 of each other file in the folder, hex; for media see `receipts.jsonl`. */
  files: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/u)),
});

/** Parses a summary, including earlier versions, which have `source` in place of `manifest`. */
export function parseSummary(value: unknown): ReturnType<typeof summarySchema.safeParse> {
  const isEarlier = value !== null && typeof value === 'object' && 'source' in value && !('manifest' in value);
  return summarySchema.safeParse(isEarlier ? { ...value, manifest: value.source } : value);
}

/** The content of `summary.json`. */
export type Summary = z.infer<typeof summarySchema>;

/**
 * Makes the summary of the files just written. `reserved`, credits: from the ledger, because receipts do not show what
 * is reserved for later steps; if it is less than the receipts' sum, because the ledger has moved on, that sum counts.
 * `files`: sha256 by file name.
 */
export function summarize(
  batch: BatchRecord,
  tally: Pick<Tally, 'rows' | 'outcomes' | 'notChosen' | 'states' | 'credits'>,
  reserved: number,
  files: Readonly<Record<string, string>>,
  voxbatchVersion: string,
): Summary {
  const isOpen = batch.state !== 'closed';
  const table = batch.settings.table ?? DEFAULT_TABLE_FORMAT;
  return {
    batch: batch.name,
    manifest_digest: batch.digest,
    manifest: batch.source,
    api: batch.apiUrl,
    account: batch.account,
    api_dialect: dialectChoiceOf(batch.settings),
    state: batch.state,
    control: shownControl(batch),
    halted: batch.halted,
    budget: batch.settings.budget,
    rows: tally.rows,
    outcomes: tally.outcomes,
    not_chosen: tally.notChosen,
    states: tally.states,
    credits: isOpen
      ? { ...tally.credits, reserved: Math.max(tally.credits.reserved, roundCredits(reserved)) }
      : tally.credits,
    created_at: isoTime(batch.createdAt),
    started_at: batch.startedAt === null ? null : isoTime(batch.startedAt),
    ended_at: batch.closedAt === null ? null : isoTime(batch.closedAt),
    csv: { ...table, ...(decimalOf(table) === ',' && { decimal: ',' }) },
    versions: { voxbatch: voxbatchVersion, summary: SUMMARY_VERSION },
    files,
  };
}
