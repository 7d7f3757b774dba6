import { describeProblem, type ManifestWarning } from '../inputs/problems.ts';
import type { ManifestSummary } from '../inputs/read-manifest.ts';
import { ExitError } from './exit-error.ts';
import { shellWord } from './go-on-command.ts';
import type { Output } from './terminal/output.ts';

/** Problems beyond this many are counted, not listed on the terminal; `--json` lists all that were kept. */
const LISTED = 50;

/** The parts of a summary that decide whether a batch may start. */
export type CheckedManifest = Pick<ManifestSummary, 'problems' | 'problemCount' | 'warnings'>;

/** The batch that a file is an outcome file of. Undefined for any other file, and for one with rows of several batches, which is a problem. */
export function outcomeFileOf({
  previousBatch,
  problems,
}: Pick<ManifestSummary, 'previousBatch' | 'problems'>): string | undefined {
  return problems.some(({ code }) => code === 'mixed-batches') ? undefined : (previousBatch ?? undefined);
}

/** `plan` is for new batches: what an outcome file costs depends on the batch. Throws {@link ExitError} `usage`. */
export function refuseOutcomeFile(
  summary: Pick<ManifestSummary, 'previousBatch' | 'problems'>,
  manifest: string,
): void {
  const batch = outcomeFileOf(summary);
  if (batch === undefined) return;
  throw new ExitError(
    'usage',
    `${manifest} is an outcome file of batch "${batch}" (it has a column _batch), so running it is a redrive of these rows, and that keeps ` +
      'what is finished. Nothing was sent, nothing was spent. To see what it will cost, and be asked: ' +
      `voxbatch run ${shellWord(manifest)} --confirm 0. To run them as a batch of their own at full price, take the column _batch out.`,
  );
}

/**
 * Says the warnings of a manifest, and refuses it if anything is wrong with it: every problem on a line of its own on
 * stderr, with `json` also all of them as one line of JSON on stdout. Throws {@link ExitError} `usage`.
 */
export function refuseProblems(
  summary: CheckedManifest,
  manifest: string,
  output: Output,
  options: { readonly json?: boolean } = {},
): void {
  for (const warning of summary.warnings) output.say(`warning: ${describeWarning(warning)}`);
  const { problems, problemCount } = summary;
  if (problemCount === 0) return;
  if (options.json === true) output.data(JSON.stringify({ manifest, problem_count: problemCount, problems }));
  for (const problem of problems.slice(0, LISTED)) output.say(describeProblem(problem));
  if (problemCount > LISTED) output.say(`and ${problemCount - LISTED} more`);
  const found = problemCount === 1 ? 'a problem' : `${problemCount} problems`;
  throw new ExitError(
    'usage',
    `${manifest} has ${found}. Nothing was sent. Nothing was spent. Mend the lines above, then check again: voxbatch plan ${manifest}`,
  );
}

/** `line 1, column txet: not a column that we know; … (3 rows)` */
function describeWarning({ line, column, message, rows }: ManifestWarning): string {
  const often = rows === null ? '' : ` (${rows} ${rows === 1 ? 'row' : 'rows'})`;
  return `line ${line}, column ${column}: ${message}${often}`;
}
