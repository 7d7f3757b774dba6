import { shellWord } from '../../contract/shell-word.ts';
import type { FaultyManifest as Faulty } from '../../client/run/check-run.ts';
import { describeProblem } from '../../contract/manifest-problems.ts';
import { ExitError, NOT_LOGGED } from '../exit-error.ts';
import { isLog, type Output } from '../terminal/output.ts';

/** Problems that are listed; the others are counted. `--json` has the first thousand. */
const MAX_LISTED = 50;

/** The problems and warnings of a manifest. */
export type FaultyManifest = Pick<Faulty['summary'], 'problems' | 'problemCount' | 'warnings'>;
type ManifestProblem = FaultyManifest['problems'][number];
type ManifestWarning = FaultyManifest['warnings'][number];

/** Returns the error for an outcome file given to `plan`, which prices new batches only. */
export function outcomeFileRefusal({ batch }: { readonly batch: string }, manifest: string): ExitError {
  const next = `voxbatch redrive --from ${shellWord(manifest)} --dry-run`;
  return new ExitError(
    'usage',
    `${manifest} is an outcome file of batch "${batch}" (it has a _batch column). Running it redrives these rows and keeps ` +
      'finished steps. Nothing was sent. Nothing was spent. To see the rows and the cost: ' +
      `${next}. To run them as a new batch, remove the _batch column.`,
    { next },
  );
}

/** How problems are reported. */
export interface ReportOptions {
  /** The command that checks it again, with its flags. Default: the same command. */
  readonly command?: string;
  /** The `--file-name` template of result files, if one was given. */
  readonly template?: string;
}

/**
 * Prints the warnings and problems of an unusable manifest, a line each on stderr, and returns the error to end the
 * command with. It names a flag that is at fault, and has all problems for `--json`.
 */
export function refuseProblems(
  summary: FaultyManifest,
  manifest: string,
  output: Output,
  options: ReportOptions = {},
): ExitError {
  printWarnings(summary, output, options);
  const { problems, problemCount } = summary;
  const ofTemplate = problems.filter(
    (problem) => flagOf(problem, options) === '--file-name' && problem.code !== 'bad-template',
  );
  const shown = problems.filter((problem) => ofTemplate.indexOf(problem) < MAX_OF_TEMPLATE);
  for (const problem of shown.slice(0, MAX_LISTED))
    output.say(describeProblem(isLog(output) ? unquoted(problem) : problem));
  const more = problemCount - Math.min(shown.length, MAX_LISTED);
  if (more > 0) output.say(`and ${more} more`);
  const flags = new Set(problems.map((problem) => flagOf(problem, options)));
  const advice = [...flags]
    .map((flag) => (flag === undefined ? 'fix the errors above' : adviceOn(flag, options)))
    .join(', ');
  const found = problemCount === 1 ? 'a problem' : `${problemCount} problems`;
  return new ExitError(
    'usage',
    `${manifest} has ${found}. Nothing was sent. Nothing was spent. ` +
      `${advice.charAt(0).toUpperCase()}${advice.slice(1)}, then ${options.command === undefined ? 'run the same command again.' : `check again: ${options.command}`}`,
    { next: options.command, facts: { manifest, problemCount, problems } },
  );
}

/** Returns the problem without the cell that it quotes, which may be a text. */
function unquoted(problem: ManifestProblem): ManifestProblem {
  return problem.got === '' ? problem : { ...problem, got: NOT_LOGGED };
}

/** Prints the warnings of a manifest that can be used. */
export function printWarnings(
  { warnings }: Pick<FaultyManifest, 'warnings'>,
  output: Output,
  options?: ReportOptions,
): void {
  for (const line of warningLines(warnings, options)) output.say(line);
}

/** Returns a line per warning; warnings that differ only in their column share one. */
export function warningLines(warnings: FaultyManifest['warnings'], { command }: ReportOptions = {}): readonly string[] {
  const groups = new Map<string, ManifestWarning[]>();
  for (const warning of warnings) {
    const key = JSON.stringify([warning.message, warning.line, warning.rows]);
    groups.set(key, [...(groups.get(key) ?? []), warning]);
  }
  return [...groups].map(([, same]) => `warning: ${describeWarnings(same, command !== undefined)}`);
}

/** Duplicate names that are listed: a template that gives many rows one name is a single mistake. */
const MAX_OF_TEMPLATE = 3;

/** Returns the flag at fault; undefined if the manifest is. */
function flagOf({ code }: ManifestProblem, { template }: ReportOptions): '--map' | '--file-name' | undefined {
  if (code === 'bad-map') return '--map';
  return code === 'bad-template' || (code === 'duplicate-name' && template !== undefined) ? '--file-name' : undefined;
}

function adviceOn(flag: '--map' | '--file-name', { template }: ReportOptions): string {
  if (flag === '--map') return 'fix --map';
  return `fix --file-name ${shellWord(template ?? '')} (with {id} or {row}, every row gets its own name)`;
}

/**
 * Describes warnings that differ only in their column: `line 1, columns scene, mood: unknown column, … (3 rows)`.
 * `canMap`: flags can still change how the manifest is read, so `--map` is offered.
 */
function describeWarnings(warnings: readonly ManifestWarning[], canMap: boolean): string {
  const [{ line, message, rows, column } = NONE] = warnings;
  const columns = warnings.map((warning) => warning.column).join(', ');
  const where = column === '' ? '' : `, ${warnings.length === 1 ? 'column' : 'columns'} ${columns}`;
  const often = rows === null ? '' : ` (${rows} ${rows === 1 ? 'row' : 'rows'})`;
  const meant = canMap ? /did you mean (\S+)\?$/.exec(message)?.[1] : undefined;
  const map = meant === undefined ? '' : ` Or: --map ${shellWord(`${meant}=${column}`)}`;
  const at = line === 0 ? '' : `line ${line}${where}: `;
  return `${at}${message}${often}${map}`;
}

const NONE: ManifestWarning = { line: 0, column: '', message: '', rows: null };
