import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { learnOperations } from '../../contract/add-operations.ts';
import { OPERATIONS, KINDS } from '../../contract/row-kinds.ts';
import { SPLIT_MODES } from '../../contract/row-parts.ts';
import { SCHEDULED_TUNABLES } from '../../contract/schedule.ts';
import { TUNABLES, type TunableValues } from '../../contract/tunables.ts';
import { formatValue, parseValue, type AnyValue, type ValueKind } from '../../contract/value-kinds.ts';
import { isManifestUrl } from '../manifest-url.ts';
import { FINISHING } from '../config-file.ts';
import { nameIn, OWN_OPERATIONS, PRICE_MEMBERS } from '../own-operations.ts';

/** A value of a tunable is sound if it is read again as it is written. */
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

/** It means the same to every worker, wherever that was started. */
const absolutePath = z.string().refine(isAbsolute);
const manifest = z.string().refine((place) => isAbsolute(place) || isManifestUrl(place));

const subset = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('limit'), rows: z.int().min(1) }),
  z.strictObject({ type: z.literal('sample'), rows: z.int().min(1), seed: z.int().min(0) }),
]);

/**
 * What a schedule runs, as it lies in the ledger. Everything that a batch is made of is settled when the schedule is made or updated: an edited
 * config file, or another machine's, changes no price and no limit of a firing at night. Only the manifest is read when it fires.
 *
 * A schedule may be older than a setting or an operation, and lack it. One with a setting that this version does not know is none that it can run.
 */
const scheduledRunSchema = z.strictObject({
  /** Path of a file, a pattern of files, or a URL. */
  manifest,
  /** Folder in which each occurrence gets a folder of its name. */
  outFolder: absolutePath,
  kind: nameIn(KINDS).nullable(),
  defaults: z.record(z.string(), z.string()),
  map: z.record(z.string(), z.string()),
  tts: z.enum(['job', 'sync']),
  legacyShare: z.number().gt(0).max(1).exactOptional(),
  join: z.strictObject({ column: z.string().min(1), pause: z.number().nonnegative() }).exactOptional(),
  split: z.enum(SPLIT_MODES).exactOptional(),
  /** Of the configuration, in characters. */
  textLimit: z.int().min(1).exactOptional(),
  finish: FINISHING.exactOptional(),
  /** Of the configuration; see `contract/sample-limits.ts`. */
  samples: z
    .strictObject({ files: z.int().positive(), bytes: z.int().positive(), seconds: z.number().positive() })
    .exactOptional(),
  strict: z.boolean(),
  nameTemplate: z.string().min(1),
  assumeSeconds: z.number().positive().nullable(),
  subset: subset.nullable(),
  probe: z.boolean(),
  prices: z.partialRecord(nameIn(OPERATIONS), price),
  operations: OWN_OPERATIONS.exactOptional(),
  tunables,
  firstLookMs: z.number().nonnegative(),
  pollGapMs: z.number().nonnegative(),
  jobDeadlineMs: z.number().positive(),
  trust503: z.boolean(),
  /** A bill above so many credits is refused, because nobody can be asked; null: none is. */
  confirmAbove: z.number().nonnegative().nullable(),
});

export type ScheduledRun = z.infer<typeof scheduledRunSchema>;

/** Reads what the ledger has on record; undefined if it is none of this version's. */
export function parseScheduledRun(value: unknown): ScheduledRun | undefined {
  const run = scheduledRunSchema.safeParse(value).data;
  learnOperations(run?.operations);
  return run;
}
