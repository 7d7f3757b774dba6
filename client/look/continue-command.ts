import { nameFromFile } from '../../contract/batch-name.ts';
import type { Reading } from '../../contract/batch.ts';
import { formatDialectChoice } from '../../contract/dialects.ts';
import { finishingFlags } from '../../contract/finishing.ts';
import { nextCommand, type NextCommand } from '../../contract/next-command.ts';
import { subsetFlags } from '../../contract/subset.ts';
import { isDefaulted } from '../../inputs/header.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { outArgs, pathArg } from './command-args.ts';

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
