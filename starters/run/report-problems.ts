import { shellWord } from '../../contract/shell-word.ts';
import type { FaultyManifest as Faulty } from '../../client/run/check-run.ts';
import { describeProblem } from '../../contract/manifest-problems.ts';
import { ExitError, NOT_LOGGED } from '../exit-error.ts';
import { isLog, type Output } from '../terminal/output.ts';

/** Problems beyond this many are counted, not listed on the terminal; `--json` lists all that were kept. */
const LISTED = 50;

/** The problems of a manifest. */
export type FaultyManifest = Pick<Faulty['summary'], 'problems' | 'problemCount' | 'warnings'>;
type ManifestProblem = FaultyManifest['problems'][number];
type ManifestWarning = FaultyManifest['warnings'][number];

/** Refuses an outcome file given to `plan`, which prices new batches only. */
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

/** What the report on a manifest depends on besides its problems. */
export interface ReportOptions {
  /** The command that checks it again, with its flags. Default: the same command. */
  readonly command?: string;
  /** The `--file-name` template of result files, if one was given. */
  readonly template?: string;
}

/**
 * Prints the warnings and all problems of an unusable manifest: each problem on its own line on stderr; all of them are
 * facts of the error, for `--json`. A flag at fault is named. Returns the error to end the command with.
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
  const shown = problems.filter((problem) => ofTemplate.indexOf(problem) < LISTED_OF_TEMPLATE);
  for (const problem of shown.slice(0, LISTED))
    output.say(describeProblem(isLog(output) ? unquoted(problem) : problem));
  const more = problemCount - Math.min(shown.length, LISTED);
  if (more > 0) output.say(`and ${more} more`);
  const flags = new Set(problems.map((problem) => flagOf(problem, options)));
  const mend = [...flags]
    .map((flag) => (flag === undefined ? 'fix the errors above' : adviceOn(flag, options)))
    .join(', ');
  const found = problemCount === 1 ? 'a problem' : `${problemCount} problems`;
  return new ExitError(
    'usage',
    `${manifest} has ${found}. Nothing was sent. Nothing was spent. ` +
      `${mend.charAt(0).toUpperCase()}${mend.slice(1)}, then ${options.command === undefined ? 'run the same command again.' : `check again: ${options.command}`}`,
    { next: options.command, facts: { manifest, problemCount, problems } },
  );
}

/** The problem without the cell that has it, which may be a text. */
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

/** The warnings of a manifest. */
export function warningLines(warnings: FaultyManifest['warnings'], { command }: ReportOptions = {}): readonly string[] {
  const alike = new Map<string, ManifestWarning[]>();
  for (const warning of warnings) {
    const key = JSON.stringify([warning.message, warning.line, warning.rows]);
    alike.set(key, [...(alike.get(key) ?? []), warning]);
  }
  return [...alike].map(([, same]) => `warning: ${describeWarnings(same, command !== undefined)}`);
}

/** A template that gives many rows one name is one mistake, not one per row. */
const LISTED_OF_TEMPLATE = 3;

/** The flag at fault; undefined if the manifest itself is. */
function flagOf({ code }: ManifestProblem, { template }: ReportOptions): '--map' | '--file-name' | undefined {
  if (code === 'bad-map') return '--map';
  return code === 'bad-template' || (code === 'duplicate-name' && template !== undefined) ? '--file-name' : undefined;
}

function adviceOn(flag: '--map' | '--file-name', { template }: ReportOptions): string {
  if (flag === '--map') return 'fix --map';
  return `fix --file-name ${shellWord(template ?? '')} (with {id} or {row}, every row gets its own name)`;
}

/**
 * `line 1, columns scene, mood: unknown column, … (3 rows)`, of warnings that differ in their column only. `canMap`:
 * the manifest's reading can still be changed.
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
