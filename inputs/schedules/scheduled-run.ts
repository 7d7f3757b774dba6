import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { tryAddOperations } from '../../contract/own-operations/own-operation-rules.ts';
import { OPERATIONS, KINDS } from '../../contract/row-kinds.ts';
import { REPORT_CHOICES } from '../../contract/report.ts';
import { SPLIT_MODES } from '../../contract/row-parts.ts';
import { SCHEDULED_TUNABLES } from '../../contract/schedule.ts';
import { TUNABLES, type TunableValues } from '../../contract/tunables.ts';
import { formatValue, parseValue, type AnyValue, type ValueKind } from '../../contract/value-kinds.ts';
import { isManifestUrl } from '../manifest-place.ts';
import { FINISHING } from '../config-file.ts';
import { nameIn, OWN_OPERATIONS, PRICE_MEMBERS } from '../own-operations/own-operation-schema.ts';

/** Returns a schema for the value of a setting: valid if it survives formatting and parsing. */
function tunable(takes: ValueKind): z.ZodType {
  return z.custom((value) => {
    const isWritable = value === null || ['number', 'string', 'object'].includes(typeof value);
    return isWritable && isDeepStrictEqual(parseValue(takes, formatValue(value as AnyValue)), value);
  });
}

const tunables = z.strictObject(
  Object.fromEntries(SCHEDULED_TUNABLES.map((name) => [name, tunable(TUNABLES[name].takes).exactOptional()])),
) as unknown as z.ZodType<Partial<TunableValues>>;

const price = z.strictObject({ ...PRICE_MEMBERS, estimate: z.boolean() });

/** Absolute, so that it means the same to every worker. */
const absolutePath = z.string().refine(isAbsolute);
const manifest = z.string().refine((place) => isAbsolute(place) || isManifestUrl(place));

const subset = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('limit'), rows: z.int().min(1) }),
  z.strictObject({ type: z.literal('sample'), rows: z.int().min(1), seed: z.int().min(0) }),
]);

/**
 * A schedule's run as recorded in the ledger. All settings of its batches are fixed when the schedule is created or
 * updated, so an edited config file, or another machine's, cannot change a nightly firing's prices or limits. Only the
 * manifest is read at firing time.
 *
 * A schedule may predate a setting or an operation, and lack it. One with a setting unknown to this version cannot run.
 */
const scheduledRunSchema = z.strictObject({
  /** Path of a file, a pattern of files, or a URL. */
  manifest,
  /** Parent folder; each occurrence gets a subfolder with its name. */
  outFolder: absolutePath,
  kind: nameIn(KINDS).nullable(),
  defaults: z.record(z.string(), z.string()),
  map: z.record(z.string(), z.string()),
  mapIfThere: z.record(z.string(), z.string()).exactOptional(),
  anyCase: z.literal(true).exactOptional(),
  /** As it was when the schedule was made. */
  cast: z
    .strictObject({
      from: z.string(),
      members: z.array(z.strictObject({ name: z.string().min(1), values: z.record(z.string(), z.string()) })),
    })
    .exactOptional(),
  tts: z.enum(['job', 'sync']),
  legacyShare: z.number().gt(0).max(1).exactOptional(),
  join: z.strictObject({ column: z.string().min(1), pause: z.number().nonnegative() }).exactOptional(),
  split: z.enum(SPLIT_MODES).exactOptional(),
  /** From the configuration, in characters. */
  textLimit: z.int().min(1).exactOptional(),
  finish: FINISHING.exactOptional(),
  xlsx: z.boolean().exactOptional(),
  report: z.enum(REPORT_CHOICES).exactOptional(),
  /** Of an Excel workbook. */
  sheet: z.string().exactOptional(),
  /** From the configuration; see `contract/api-limits.ts`. */
  samples: z
    .strictObject({ files: z.int().positive(), bytes: z.int().positive(), seconds: z.number().positive() })
    .exactOptional(),
  strict: z.boolean(),
  nameTemplate: z.string().min(1),
  assumeSeconds: z.number().positive().nullable(),
  subset: subset.nullable(),
  /** Whether media without a duration are measured, to price them. */
  probe: z.boolean(),
  prices: z.partialRecord(nameIn(OPERATIONS), price),
  operations: OWN_OPERATIONS.exactOptional(),
  tunables,
  firstLookMs: z.number().nonnegative(),
  pollGapMs: z.number().nonnegative(),
  jobDeadlineMs: z.number().positive(),
  trust503: z.boolean(),
  /** A bill above this many credits is refused, because nobody can be prompted; null for no threshold. */
  confirmAbove: z.number().nonnegative().nullable(),
});

/** A parsed record of a schedule's run. */
export type ScheduledRun = z.infer<typeof scheduledRunSchema>;

/**
 * Parses the ledger's record of a schedule's run; undefined if this version does not support it. Adds its own
 * operations to those of this process.
 */
export function parseScheduledRun(value: unknown): ScheduledRun | undefined {
  const run = scheduledRunSchema.safeParse(value).data;
  tryAddOperations(run?.operations);
  return run;
}
