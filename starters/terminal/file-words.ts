import { RESULTS_XLSX, FAILED_SHEET } from '../../contract/outcomes.ts';
import { REPORT_FILE } from '../../contract/report.ts';
import { nextCommand, shellWord } from '../../contract/shell-word.ts';
import { join } from 'node:path';
import { rowsArg, shortPath } from '../../client/status/continue-command.ts';
import type { DamagedInStore } from '../../client/results/verify.ts';
import type { WriteRequest, WrittenFiles } from '../../client/results/write-files.ts';
import { commandLine, namedRow, unnamedRows, form, plural, size } from './words.ts';
import type { Output } from './output.ts';
import { ProgressLine } from './progress.ts';

type FilesMade = Parameters<NonNullable<WriteRequest['onFilesMade']>>[0];
type Damaged = DamagedInStore['damaged'];

/** Progress is shown only for work that takes longer than this, ms. */
const SLOW_MS = 2_000;
const DRAW_INTERVAL_MS = 500;
const STEPS: Readonly<Record<FilesMade['step'], string>> = { join: 'joining files', finish: 'finishing files' };

/** Runs `make`, and if that takes long shows how many files are joined or finished. Resolves as `make` does. */
export async function showFilesMade<T>(
  output: Output,
  make: (onFilesMade: (made: FilesMade) => void) => Promise<T>,
): Promise<T> {
  const line = new ProgressLine(output);
  let last: (FilesMade & { readonly since: number }) | undefined;
  const draw = (isOver: boolean): void => {
    if (last === undefined || performance.now() - last.since < SLOW_MS) return;
    line.show(`${STEPS[last.step]}: ${last.done}/${last.all} done`, isOver);
  };
  const drawing = setInterval(() => {
    draw(false);
  }, DRAW_INTERVAL_MS);
  try {
    return await make((made) => {
      last = { ...made, since: last?.since ?? performance.now() };
    });
  } finally {
    clearInterval(drawing);
    draw(true);
  }
}

/** Files that are listed of those that could not be made; `joined.csv` and `finished.csv` have all. */
const MAX_FILES = 5;

/** Why there is no `results.xlsx` although it was asked for. */
const NO_WORKBOOK: Readonly<Record<NonNullable<WrittenFiles['workbook']>, readonly string[]>> = {
  written: [],
  'too-many-rows': ['results.xlsx: not written, for Excel reads at most 1,048,576 rows. results.csv has all of them.'],
  'too-large': ['results.xlsx: not written, for it would be larger than 4 GB. results.csv has everything.'],
};

/** Describes the files made for `--join`, `--finish…` and `--xlsx`, and names the report; empty without any. */
export function madeLines({
  joined,
  finished,
  workbook,
  report,
  reportProblem,
}: Pick<WrittenFiles, 'joined' | 'finished' | 'workbook' | 'report' | 'reportProblem'>): readonly string[] {
  return [
    ...(joined === null ? [] : joinedLines(joined)),
    ...(finished === null ? [] : finishedLines(finished)),
    ...(workbook === null ? [] : NO_WORKBOOK[workbook]),
    ...(report === null ? [] : [`report: ${shortPath(report)}`]),
    ...reportProblemLines(reportProblem),
  ];
}

/** Returns why the report was not written; no lines if it was. An earlier report is still there. */
export function reportProblemLines(problem: WrittenFiles['reportProblem']): readonly string[] {
  return problem === null ? [] : [`report: not written, but everything else is (${problem})`];
}

function joinedLines(joined: NonNullable<WrittenFiles['joined']>): readonly string[] {
  const missing = joined.filter(({ file }) => file === '').map(({ value, message }) => `  ${value}: ${message}`);
  const more = missing.length === 0 ? '' : `, ${missing.length} not yet`;
  return [
    `joined: ${plural(joined.length - missing.length, 'file')}${more} (joined.csv)`,
    ...firstOf(missing, 'joined.csv'),
  ];
}

function finishedLines(finished: NonNullable<WrittenFiles['finished']>): readonly string[] {
  const missing = finished
    .filter(({ file }) => file === '')
    .map(({ original, message }) => `  ${original}: ${message}`);
  const rest = missing.length === 0 ? '' : `, ${missing.length} could not be made; the originals are all there`;
  return [
    `finished: ${plural(finished.length - missing.length, 'copy', 'copies')}${rest} (finished.csv)`,
    ...firstOf(missing, 'finished.csv'),
  ];
}

function firstOf(lines: readonly string[], table: string): readonly string[] {
  const more = lines.length - MAX_FILES;
  return [...lines.slice(0, MAX_FILES), ...(more > 0 ? [`  and ${more} more: see ${table}`] : [])];
}

/** Describes files that the user had edited, and that were kept under another name. `out`: an absolute path. */
export function keptLines(kept: WrittenFiles['kept'], out: string): readonly string[] {
  const edited = kept.tables.map(({ name, keptAs }) => {
    const path = shortPath(join(out, keptAs));
    const was = shortPath(join(out, name));
    if (name === REPORT_FILE) return `${was} was no report of voxbatch: it is kept as ${path}.`;
    const sheet = name === RESULTS_XLSX ? ` --sheet ${FAILED_SHEET}` : '';
    return `${was} had been edited: it is kept as ${path}. If these edits did not run yet: voxbatch run ${shellWord(path)}${sheet}`;
  });
  if (kept.former === undefined) return edited;
  const former = shortPath(join(out, kept.former));
  return [
    ...edited,
    `The ledger is a copy that was accepted, or was set back, and may lack rows that the files had: those are kept in ${former}. Compare them before you resume the batch.`,
  ];
}

/** Rows that are listed. */
const MAX_ROWS = 5;

/** Advice for rows whose files were removed on purpose: a redrive of them pays even if another row has the result. */
const REUSE_ADVICE =
  'If another row has the same result undamaged, that costs nothing: run the manifest as a new batch, which uses it ' +
  '(voxbatch plan MANIFEST --name NEW-NAME says what it would pay for).';

/** A batch and its store. */
interface Place {
  readonly batch: string;
  readonly store: string;
  /** Its rows' inputs were removed (`voxbatch clean --rows`), so none can be redriven. */
  readonly isRequestRemoved?: boolean;
}

/**
 * Describes results that are missing or damaged in the store, and how to get them back: from the right store, from
 * their jobs, or by a new take.
 */
export function damageLines(all: Damaged, place: Place): readonly string[] {
  const damaged = all.filter(({ is }) => is !== 'removed');
  const removed = all.filter(({ is }) => is === 'removed');
  return [
    ...(damaged.length === 0 ? [] : lostLines(damaged, place)),
    ...(removed.length === 0 ? [] : [removedLine(removed, place), REUSE_ADVICE]),
  ];
}

function removedLine(removed: Damaged, { batch, isRequestRemoved = false }: Place): string {
  const redrive = commandLine(nextCommand('redrive', batch, '--rows', rowsArg(removed)));
  const again = isRequestRemoved
    ? 'So was what the rows asked for: to make them again at a new charge, run the manifest as a new batch.'
    : `To make them again at a new charge: ${redrive}${unnamedRows({ count: removed.length })}`;
  return `The media of ${rowsOf(removed)} were removed from the store (voxbatch clean or cache prune) and are not in this folder. ${again}`;
}

function lostLines(damaged: Damaged, { batch, store }: Place): readonly string[] {
  const name = shellWord(batch);
  const rows = damaged.length;
  return [
    `The stored ${form(rows, 'result', 'results')} of ${rowsOf(damaged)} ${form(rows, 'is', 'are')} ${howLost(damaged)} in the store, ${store}.`,
    ...(damaged.some(({ is }) => is === 'missing')
      ? [
          `If VOXBATCH_STORE (or "store" in voxbatch.config.json) was different when the batch ran, set it back, then: voxbatch results ${name}`,
        ]
      : []),
    `If ${form(rows, 'it is', 'they are')} lost: voxbatch redrive ${name} --damaged`,
    'It fetches what a job made from that job again, free, asks before it pays for anything else, and is safe to repeat (--dry-run: only says it).',
  ];
}

function howLost(damaged: Damaged): string {
  const words = damaged.map(({ is }) => (is === 'missing' || is === 'altered' ? 'missing or damaged' : is));
  return [...new Set(words)].join(' or ');
}

function rowsOf(rows: Damaged): string {
  const more = rows.length > MAX_ROWS ? ` and ${rows.length - MAX_ROWS} more` : '';
  return `${rows.slice(0, MAX_ROWS).map(namedRow).join(', ')}${more}`;
}

/** Describes the uploaded local media that were removed, or would be; no lines if there are none. */
export function uploadLines(
  { files, bytes }: { readonly files: number; readonly bytes: number },
  isDryRun: boolean,
): readonly string[] {
  if (files === 0) return [];
  const verb = isDryRun ? 'Would remove' : 'Removed';
  return [`${verb} ${plural(files, 'uploaded file')} of rows that have ended, ${size(bytes)}.`];
}

/**
 * Describes how much space was freed: `2 GB: 1 GB are free now, 1 GB have other names (out folders) and stay there`.
 * `others`: what may have hard links to the files.
 */
export function freedWords(
  { bytes, freed }: { readonly bytes: number; readonly freed: number },
  isDryRun: boolean,
  others: string,
): string {
  const shared = bytes - freed;
  const elsewhere = shared > 0 ? `, ${size(shared)} have other names (${others}) and stay there` : '';
  return `${size(bytes)}: ${size(freed)} ${isDryRun ? 'would be free' : 'are free now'}${elsewhere}`;
}
