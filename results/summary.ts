import * as z from 'zod';
import { CONTROLS, OUTCOMES, ROW_STATES } from '../contract/outcomes.ts';
import { DELIMITERS, PLAIN_TABLE } from '../contract/table-format.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { isoTime } from './receipt.ts';
import { roundCredits } from '../contract/prices.ts';
import type { Tally } from './tally.ts';

/** Name of the summary in the out folder; it is written last. */
export const SUMMARY_FILE = 'summary.json';

/** Says whose an out folder is until its first summary does, which takes its place. */
export const CLAIM_FILE = '.voxbatch-batch.json';

/** Grows by 1 when a reader of an older summary would misread a newer one. */
const SUMMARY_VERSION = 1;

const count = z.number().int().nonnegative();

/** `summary.json`: the batch as of the moment its files were made. It holds no time of its own making. */
export const summarySchema = z.object({
  batch: z.string(),
  /** sha256 of the manifest and of the settings that shape its rows, hex. */
  manifest_digest: z.string(),
  /** Where the manifest was read from, for people. */
  source: z.string(),
  /** Origin and path of the API. */
  api: z.string(),
  account: z.string(),
  state: z.enum(['loading', 'open', 'closed']),
  control: z.enum(CONTROLS),
  /** Why the batch gave up by itself (`--halt`), in one sentence; null if it did not. */
  halted: z.string().nullable().default(null),
  /** Credits that the batch may spend at most; null: as much as it takes. */
  budget: z.number().nullable().default(null),
  rows: count,
  /** Rows that ended, by outcome; every outcome is named. */
  outcomes: z.record(z.enum(OUTCOMES), count),
  /** Of the skipped rows, those that `--limit` or `--sample` left out. */
  not_chosen: count.default(0),
  /** Rows that have not ended, by state. */
  states: z.record(z.enum(ROW_STATES), count),
  /**
   * Credits. `charged`: what is known to be charged. `reserved`: quotes of requests in flight and, under a budget, of the
   * later steps of rows that have begun; 0 when the batch is closed. `uncertain`: quotes of requests that may have been charged. `estimated`: some of these figures are quotes rather than the API's.
   */
  credits: z.object({
    charged: z.number(),
    reserved: z.number(),
    uncertain: z.number(),
    estimated: z.boolean(),
  }),
  /** ISO 8601, UTC. */
  created_at: z.string(),
  /** The first paid request. */
  started_at: z.string().nullable(),
  /** The last row ended. */
  ended_at: z.string().nullable(),
  versions: z.object({ voxbatch: z.string(), summary: z.literal(SUMMARY_VERSION) }),
  /** How the tables in CSV are written: as the manifest was. */
  csv: z.object({ delimiter: z.enum(DELIMITERS), bom: z.boolean() }).default(PLAIN_TABLE),
  /** sha256 of each other file in the folder, hex; those of media are in `receipts.jsonl`. */
  files: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/u)),
});

export type Summary = z.infer<typeof summarySchema>;

/**
 * The summary of the files that were just made. `reserved` is what the ledger says, for what is promised to later steps is on no
 * receipt; but never less than the receipts, from which the ledger may have moved on.
 */
export function summarize(
  batch: BatchRecord,
  tally: Tally,
  reserved: number,
  files: Readonly<Record<string, string>>,
  voxbatchVersion: string,
): Summary {
  const isOpen = batch.state !== 'closed';
  return {
    batch: batch.name,
    manifest_digest: batch.digest,
    source: batch.source,
    api: batch.apiUrl,
    account: batch.account,
    state: batch.state,
    control: batch.control,
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
    csv: batch.settings.table ?? PLAIN_TABLE,
    versions: { voxbatch: voxbatchVersion, summary: SUMMARY_VERSION },
    files,
  };
}
