import { FAILED_SHEET, RESULTS_XLSX, outcomeFile } from '../../contract/outcomes.ts';
import type { ActionRecord } from '../../contract/actions.ts';
import { nameFromFile, defaultOut } from '../../contract/batch-name.ts';
import { isDefaulted, type Reading } from '../../contract/batch.ts';
import { formatDialectChoice } from '../../contract/dialects.ts';
import { finishingFlags } from '../../contract/finishing.ts';
import { nextCommand, type NextCommand } from '../../contract/shell-word.ts';
import { subsetFlags } from '../../contract/subset.ts';
import { compareFirst, CopyInDoubt, FORMER_OR_ACCEPT, readOnlyAdvice } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { relative, resolve } from 'node:path';
import type { NamedRow } from '../../contract/row-parts.ts';
import { isPausedByFailures } from '../../batches/status/standstill.ts';

/** Source of a manifest that came through a pipe; see `inputs/manifest-source.ts`. */
export const STANDARD_INPUT = 'standard input';

// Commands that continue a batch, and their parts: paths, rows and takes as `voxbatch` reads them.

/** The parts of a batch that {@link continueCommand} reads. */
export type ContinuedBatch = Pick<BatchRecord, 'name' | 'source' | 'subset'> & {
  readonly settings: Pick<BatchRecord['settings'], 'reading' | 'single'>;
};

/**
 * The command that resumes a batch. It repeats the flags that shape its rows, because the manifest is read again, and
 * those that select rows: without them, all rows would run. A single job has no manifest, and its own command would
 * reveal its text. `out`: the batch's out folder, if the caller knows it.
 */
export function continueCommand({ name, source, subset, settings }: ContinuedBatch, out?: string | null): NextCommand {
  if (settings.single !== undefined) return nextCommand('up', '--until-idle');
  const isPiped = source === STANDARD_INPUT;
  const args = [
    isPiped ? '-' : pathArg(source),
    ...(!isPiped && nameFromFile(source) === name ? [] : ['--name', name]),
    ...readingFlags(settings.reading),
    ...subsetFlags(subset),
    ...outArgs(name, out),
  ];
  return { command: 'run', args, ...(isPiped ? { stdin: 'FILE' } : {}) };
}

/** Returns the command-line flags that reproduce how a manifest was read. */
export function readingFlags({
  kind,
  defaults,
  map,
  cast,
  tts,
  legacyShare,
  join,
  split,
  finish,
}: Reading): readonly string[] {
  return [
    ...(kind === null ? [] : ['--kind', kind]),
    ...Object.entries(defaults).flatMap(([column, value]) => defaultFlag(column, value)),
    ...Object.entries(map).flatMap(([ours, theirs]) => ['--map', `${ours}=${theirs}`]),
    ...(cast === undefined ? [] : ['--cast', pathArg(cast.from)]),
    ...(tts === 'job' ? [] : ['--tts', tts]),
    ...(legacyShare === undefined ? [] : ['--api-dialect', formatDialectChoice(legacyShare)]),
    ...(join === undefined ? [] : ['--join', join.column, ...(join.pause > 0 ? ['--pause', String(join.pause)] : [])]),
    ...(split === undefined ? [] : ['--split', split]),
    ...(finish === undefined ? [] : finishingFlags(finish)),
  ];
}

/**
 * The flag for a column's default value. Empty for a column without a flag: the ledger may have come with the folder,
 * and its author must not be able to inject `--api-url` into a command. A value that begins with a dash is joined to
 * its flag: after one with an optional value, such as `--verify`, it would be read as the next flag.
 */
function defaultFlag(column: string, value: string): readonly string[] {
  if (!isDefaulted(column)) return [];
  return value.startsWith('-') ? [`--${column}=${value}`] : [`--${column}`, value];
}

/** A path as a user in the working directory would type it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' ? '.' : short.startsWith('..') ? path : short;
}

/** A path as a command argument, never mistakable for a flag. */
export function pathArg(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

/**
 * `--out DIR` if a batch's files are not in the default folder: a command without it would write them there. The folder
 * is not recorded, so only the command that was given it knows it. `out`: undefined if unknown; null if the batch has
 * no files.
 */
export function outArgs(batch: string, out: string | null | undefined): readonly string[] {
  if (out === undefined || out === null || resolve(out) === resolve(defaultOut(batch))) return [];
  return ['--out', pathArg(shortPath(resolve(out)))];
}

/** Max rows named in a command; more would not fit on a line. */
export const MAX_NAMED = 20;

/**
 * A row for `--rows`, `--resubmit`, `--adopt` and `explain`: its id, or `#N` if the id would be read differently. An id
 * such as `#7` is read as an id, as ids are looked up before numbers.
 */
export function rowArg({ row, id }: NamedRow): string {
  return /^-|,|^\s|\s$|\p{Cc}/u.test(id) || id === '' ? `#${String(row)}` : id;
}

/** Rows for `--rows` and `--resubmit`; only the first if there are many. */
export function rowsArg(rows: readonly NamedRow[]): string {
  return rows.slice(0, MAX_NAMED).map(rowArg).join(',');
}

/** An earlier take of a row, for `--not-charged` and `--adopt`. */
export function takeArg(row: NamedRow, take: number): string {
  return `${rowArg(row)}/${String(take)}`;
}

/** A paused batch and the commands that resume it. */
export interface Pause {
  readonly batch: Pick<BatchRecord, 'name' | 'pauseReason'>;
  /** Commands that resume it, in order. */
  readonly goOn: readonly NextCommand[];
  /** The command that works on it. */
  readonly run: NextCommand;
  /** Its workers run elsewhere, so a token that was refused is theirs. */
  readonly isCluster: boolean;
  /** Who paused it. Default: not known. */
  readonly by?: ActionRecord | undefined;
  /** What to do before it can be resumed, in a sentence. Default: nothing. */
  readonly advice?: string | undefined;
}

/** The command that starts work on an open batch that has no worker. On a cluster, `run` would start none. */
export function workCommand(batch: ContinuedBatch, isCluster: boolean): NextCommand {
  return isCluster ? nextCommand('worker') : continueCommand(batch);
}

/**
 * The commands that resume a paused batch. If it has no worker, `resume` alone would only refer to `run`, and `run`
 * alone resumes only a batch that paused by itself. `out`: see {@link continueCommand}.
 */
export function pauseOf(
  batch: BatchRecord,
  {
    isDeserted,
    isCluster = false,
    out,
    pausedBy: by,
    readOnlyAdvice: advice,
  }: {
    readonly isDeserted: boolean;
    readonly isCluster?: boolean;
    readonly out?: string | null;
    readonly pausedBy?: ActionRecord | undefined;
    readonly readOnlyAdvice?: string | undefined;
  },
): Pause {
  const resume = nextCommand('resume', batch.name);
  const run = continueCommand(batch, out);
  // Only a person resumes a batch that a person has paused, or that paused because its rows keep failing.
  const needsResume = batch.pauseReason === null || isPausedByFailures(batch);
  const goOn = !isDeserted || isCluster ? [resume] : needsResume ? [resume, run] : [run];
  return { batch, goOn, run, isCluster, by, advice };
}

/**
 * The file in which a person corrects failed rows: the workbook if the batch writes one, otherwise `failed.csv`.
 * `sheet`: the flags with which `run` and `redrive` read its sheet of failed rows.
 */
export function failedFile(
  { settings }: Pick<BatchRecord, 'settings'>,
  out: string,
): { readonly file: string; readonly sheet: readonly string[] } {
  return settings.xlsx === true
    ? { file: `${out}/${RESULTS_XLSX}`, sheet: ['--sheet', FAILED_SHEET] }
    : { file: `${out}/${outcomeFile('failed') ?? ''}`, sheet: [] };
}

/** Whether an open batch is paused. */
export function isPaused({ state, control }: Pick<BatchRecord, 'state' | 'control'>): boolean {
  return state === 'open' && control === 'paused';
}

/** Returns what to do before any command can continue a batch, as a sentence with commands; undefined if nothing. */
export async function adviceFor(ledger: Ledger, batch: BatchRecord): Promise<string | undefined> {
  if (ledger.readOnly !== undefined) return readOnlyAdvice(ledger.place, ledger.readOnly);
  if (!(await ledger.isAccepted())) return FORMER_OR_ACCEPT;
  if (!isPaused(batch)) return undefined;
  try {
    await ledger.requireResumable(batch.name);
    return undefined;
  } catch (error) {
    if (error instanceof CopyInDoubt) return compareFirst(batch.name);
    throw error;
  }
}
