import { nameFromFile, defaultOut } from '../../contract/batch-name.ts';
import { isDefaulted, type Reading } from '../../contract/batch.ts';
import { formatDialectChoice } from '../../contract/dialects.ts';
import { finishingFlags } from '../../contract/finishing.ts';
import { nextCommand, type NextCommand } from '../../contract/shell-word.ts';
import { subsetFlags } from '../../contract/subset.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { relative, resolve } from 'node:path';
import type { NamedRow } from '../../contract/row-parts.ts';
import { isPausedByFailures } from '../../batches/look/view-batch.ts';

/** Source of a manifest that came through a pipe; see `inputs/manifest-source.ts`. */
const STANDARD_INPUT = 'standard input';

/** What {@link continueCommand} needs to know about a batch. */
export type ContinuedBatch = Pick<BatchRecord, 'name' | 'source' | 'subset'> & {
  readonly settings: Pick<BatchRecord['settings'], 'reading' | 'single'>;
};

/**
 * The command that continues a batch. It has the flags that shape its rows, because its manifest is read again, and
 * those that select among them: without these it would continue with all. A single job has no manifest, and its own
 * command would show its text. `out`: the folder of its files, if the caller knows it.
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
/** The flags for how a manifest was read, as words of a command line. */
export function readingFlags({
  kind,
  defaults,
  map,
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
    ...(tts === 'job' ? [] : ['--tts', tts]),
    ...(legacyShare === undefined ? [] : ['--api-dialect', formatDialectChoice(legacyShare)]),
    ...(join === undefined ? [] : ['--join', join.column, ...(join.pause > 0 ? ['--pause', String(join.pause)] : [])]),
    ...(split === undefined ? [] : ['--split', split]),
    ...(finish === undefined ? [] : finishingFlags(finish)),
  ];
}

/**
 * None for a column without a flag: the ledger may have come with a folder, and its author must not put `--api-url` into a command. A value that
 * begins with a dash is joined to its flag: one that need not have a value, such as `--verify`, would leave it to be read as the next flag.
 */
function defaultFlag(column: string, value: string): readonly string[] {
  if (!isDefaulted(column)) return [];
  return value.startsWith('-') ? [`--${column}=${value}`] : [`--${column}`, value];
}

/** A path as a person in the working directory would write it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' ? '.' : short.startsWith('..') ? path : short;
}

/** A path as an argument of a command: none is read as a flag. */
function pathArg(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

/**
 * `--out DIR`, if the files of a batch are in another folder than usual: a command without it would write them to the usual one. It is not on
 * record, so only the command that was given it knows. `out`: undefined if it does not; null if the batch has no files.
 */
export function outArgs(batch: string, out: string | null | undefined): readonly string[] {
  if (out === undefined || out === null || resolve(out) === resolve(defaultOut(batch))) return [];
  return ['--out', pathArg(shortPath(resolve(out)))];
}

/** Maximum rows that a command names; more would not fit a line. */
export const MOST_NAMED = 20;

/**
 * A row for `--rows`, `--resubmit`, `--adopt` and `explain`: its id, or `#N` if the id would be read differently. An id
 * such as `#7` is read as an id, as ids are looked up before numbers.
 */
export function rowArg({ row, id }: NamedRow): string {
  return /^-|,|^\s|\s$|\p{Cc}/u.test(id) || id === '' ? `#${String(row)}` : id;
}

/** Rows for `--rows` and `--resubmit`; only the first if there are many. */
export function rowsArg(rows: readonly NamedRow[]): string {
  return rows.slice(0, MOST_NAMED).map(rowArg).join(',');
}

/** An earlier take of a row, for `--not-charged` and `--adopt`. */
export function takeArg(row: NamedRow, take: number): string {
  return `${rowArg(row)}/${String(take)}`;
}

/** A paused batch, and what continues it. */
export interface Pause {
  readonly batch: Pick<BatchRecord, 'name' | 'pauseReason'>;
  /** Commands that continue it, each after the one before. */
  readonly goOn: readonly NextCommand[];
  /** The command that works on it. */
  readonly run: NextCommand;
}

/**
 * What a paused batch needs. If nobody works on it, `resume` alone would only point to `run`, and `run` alone continues
 * only after a pause that the batch made by itself. `out`: see {@link continueCommand}.
 */
export function pauseOf(
  batch: BatchRecord,
  { isDeserted, out }: { readonly isDeserted: boolean; readonly out?: string | null },
): Pause {
  const resume = nextCommand('resume', batch.name);
  const run = continueCommand(batch, out);
  const isByPerson = batch.pauseReason === null || isPausedByFailures(batch);
  return { batch, goOn: !isDeserted ? [resume] : isByPerson ? [resume, run] : [run], run };
}
