import { hash } from 'node:crypto';
import { defined } from '../../contract/defined.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { DIALECTS, type Dialect } from '../../contract/dialects.ts';
import type { Account } from '../../contract/names.ts';
import {
  COLUMN_CELLS,
  dialectOf,
  fileColumnsOf,
  filesIn,
  operationOf,
  stepsIn,
  type JsonValue,
  type Kind,
  type RowSpec,
  type TtsMode,
} from '../../contract/row-kinds.ts';
import type { LocalMediaRules } from '../../inputs/local-media/path-cells.ts';
import type { ManifestOptions } from '../../inputs/manifest-options.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { manifestOfText } from '../../inputs/manifest-source.ts';
import { checkManifest, readManifest, type SoundManifest } from '../../inputs/read-manifest.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';
import { chooseSettings, withAnyLength, type WantedBatch } from '../batch-settings.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import type { SplitMode } from '../../contract/row-parts.ts';
import type { TextLimits } from '../../contract/api-limits.ts';
import type { Config } from '../../inputs/config-file.ts';

/** A single job (`say`, `transcribe`, …), requested without a manifest. It becomes a batch of one row. */
export interface SingleJob {
  /** Its command, such as `say`; the name of its batch begins with it. */
  readonly command: string;
  /** The command as typed, if it has several words: `voices create`. */
  readonly typed?: string;
  readonly kind: Kind;
  /** The cells of its row by column, as in a manifest. Cells of `api.<field>` columns may be any JSON. */
  readonly cells: Readonly<Record<string, JsonValue>>;
  /** How speech is requested. Default `job`. */
  readonly tts?: TtsMode;
  /** How an overlong text is split. Default: it is refused. */
  readonly split?: SplitMode;
}

/** The batch options that also apply to one row. */
export type SingleOptions = Pick<WantedBatch, 'assumeSeconds' | 'tuning'> & {
  /** Which files of this host cells may name as media. Default: local media are refused. */
  readonly localMedia?: LocalMediaRules;
  /** The requested API dialect; a job recorded in another one is refused. Default: the configuration's. */
  readonly apiDialect?: Dialect;
  /** The API's text limits as learned so far; those of the configuration take precedence. Default: none known. */
  readonly textLimits?: TextLimits;
  /** Ignore text limits, which apply to new jobs only. Default false. */
  readonly anyLength?: boolean;
};

/** A job in one dialect of the API, and the batch that it would become. */
export interface JobReading {
  readonly job: SingleJob;
  readonly source: ManifestSource;
  readonly checked: SoundManifest;
  /** What its row requests, without an assumed length: that only affects the price and may change. */
  readonly spec: RowSpec;
  readonly settings: BatchSettings;
}

/** A job without errors. */
export interface SoundJob extends JobReading {
  /**
   * The same job in each other dialect that supports it: it may be recorded in one of them, whatever is configured now.
   */
  readonly inOtherDialects: readonly JobReading[];
  /** The explicitly requested dialect, if any. */
  readonly apiDialect?: Dialect;
}

/** A job, or all its errors. Their columns are those of {@link SingleJob.cells}. */
export type ReadJob = ({ readonly type: 'sound' } & SoundJob) | FaultyJob;

interface FaultyJob {
  readonly type: 'faulty';
  readonly problems: readonly ManifestProblem[];
}

/** Raised when {@link singleName} changes, so that new names differ from all earlier ones. */
const VERSION = 1;
/**
 * Hex digits of the digest: 48 bits. Among a million jobs, two share a name with a chance of 1 in 560; the second is
 * refused.
 */
const DIGITS = 12;

/**
 * Reads and prices a job like a manifest of one row. Sends nothing.
 *
 * Different spellings of one value (` anna `, `1.0`) are one job, so the manifest is written from the parsed values.
 */
export async function readSingleJob(job: SingleJob, options: SingleOptions, config: Config): Promise<ReadJob> {
  const reading = await readJob(job, options, config);
  if (reading.type === 'faulty') return reading;
  const others = DIALECTS.filter((dialect) => dialect !== dialectOf(reading.spec));
  const read = await Promise.all(others.map((apiDialect) => readJob(job, { ...options, apiDialect }, config)));
  const inOtherDialects = read.filter((other) => other.type === 'sound');
  return { ...reading, inOtherDialects, ...defined({ apiDialect: options.apiDialect }) };
}

async function readJob(
  job: SingleJob,
  options: SingleOptions,
  config: Config,
): Promise<({ readonly type: 'sound' } & JobReading) | FaultyJob> {
  const { command, kind, cells, tts = 'job', split } = job;
  const { manifest: given, settings: chosen } = chooseSettings({ ...options, kind, tts, split }, unfinished(config));
  const fitted = { ...given, textLimits: { ...options.textLimits, ...given.textLimits } };
  const { localMedia } = options;
  const manifest = { ...(options.anyLength === true ? withAnyLength(given) : fitted), ...defined({ localMedia }) };
  // Hooks report on unattended batches; whoever requests a single job waits for it.
  const settings = { ...chosen, single: command, onEnd: null, notify: null };
  // Manifest and name must not depend on how the job is priced.
  const unassumed = withoutAssumption(manifest);
  const typed = sourceOf(command, cells);
  const first = await checkManifest(typed, unassumed, settings.budget);
  if (first.type === 'outcome-file') throw new Error('A single job has no _batch.');
  if (first.type === 'faulty') return { type: 'faulty', problems: first.summary.problems };
  // Read again from the parsed values, so that different spellings have one digest.
  const source = sourceOf(command, cellsOf(await specOf(typed, unassumed, first.summary)));
  const checked = await checkManifest(source, manifest, settings.budget);
  if (checked.type !== 'sound') throw new Error('A job that was read can be read again.');
  const spec = await specOf(source, unassumed, checked.summary);
  return { type: 'sound', job, source, checked, spec, settings };
}

/** Drops finishing from the configuration: a single job's file is returned unchanged. */
function unfinished({ finish: _, ...others }: Config): Config {
  return others;
}

/**
 * Returns the name of a job's batch: the same job of the same account is the same batch. The name reveals nothing of
 * the request, because names appear in logs and histories. `edition`: from 2, after `clean` removed the request of an
 * earlier batch and the job is requested again.
 */
export function singleName({ job, spec }: Pick<JobReading, 'job' | 'spec'>, realm: Account, edition = 1): string {
  const { command, kind, tts = 'job', split } = job;
  const operations = stepsIn({ kind, verify: spec.verify }).map((step) => operationOf(spec, step, tts));
  const identity = canonicalJson([
    VERSION,
    realm.apiUrl,
    realm.account,
    operations,
    identityOf(spec),
    ...(split === undefined ? [] : [split]),
  ]);
  const digest = hash('sha256', identity, 'hex').slice(0, DIGITS);
  return edition === 1 ? `${command}-${digest}` : `${command}-${digest}-${edition}`;
}

/** Returns whether two jobs request the same. Files are compared by content, not by path. */
export function isSameJob(one: RowSpec, other: RowSpec): boolean {
  return canonicalJson(identityOf(one)) === canonicalJson(identityOf(other));
}

/** Returns what identifies a request: its cells, with files by their content. */
function identityOf({ local: _paths, ...spec }: RowSpec): object {
  const files = fileColumnsOf(spec.kind).map((column) => [column, filesIn(spec, column)?.map(({ sha256 }) => sha256)]);
  return { ...spec, ...defined(Object.fromEntries(files)) };
}

function sourceOf(command: string, cells: SingleJob['cells']): ManifestSource {
  return manifestOfText(`voxbatch ${command}`, canonicalJson(cells));
}

function withoutAssumption({ assumeSeconds: _, ...options }: ManifestOptions): ManifestOptions {
  return options;
}

/** Reads the request of a manifest's only row. */
async function specOf(
  source: ManifestSource,
  options: ManifestOptions,
  summary: SoundManifest['summary'],
): Promise<RowSpec> {
  for await (const { spec } of readManifest(source, options, summary)) return spec;
  throw new Error('A sound manifest has a row.');
}

/** Returns the cells from which a manifest row with this request is read. */
function cellsOf({ extra, local = {}, ...spec }: RowSpec): SingleJob['cells'] {
  const paths = Object.entries(local).map(([column, { path }]) => [column, path] as const);
  const columns = Object.entries({ ...spec, ...Object.fromEntries(paths) }).filter(([name]) => name in COLUMN_CELLS);
  const values = columns.map(([column, value]): [string, JsonValue] => [
    column,
    typeof value === 'object' ? JSON.stringify(value.map(({ path }) => path)) : String(value),
  ]);
  const fields = Object.entries(extra).map(([field, value]): [string, JsonValue] => [`api.${field}`, value]);
  return Object.fromEntries<JsonValue>([...values, ...fields]);
}
