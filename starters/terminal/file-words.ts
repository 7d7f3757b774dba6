import { RESULTS_XLSX, FAILED_SHEET } from '../../contract/outcomes.ts';
import { REPORT_FILE } from '../../contract/report.ts';
import { nextCommand, shellWord } from '../../contract/shell-word.ts';
import { join } from 'node:path';
import { rowsArg, shortPath } from '../../client/look/continue-command.ts';
import type { DamagedInStore } from '../../client/look/verify.ts';
import type { WriteRequest, WrittenFiles } from '../../client/look/write-files.ts';
import { commandLine, namedRow, unnamedRows, form, plural, size } from './words.ts';
import type { Output } from './output.ts';
import { ProgressLine } from './progress.ts';

type FilesMade = Parameters<NonNullable<WriteRequest['onFilesMade']>>[0];
type Damaged = DamagedInStore['damaged'];

/** Work shorter than this shows no progress, ms. */
const SLOW_MS = 2_000;
const DRAW_EVERY_MS = 500;
const STEPS: Readonly<Record<FilesMade['step'], string>> = { join: 'joining files', finish: 'finishing files' };

/** Shows how many files are joined and finished while `make` makes them, if that takes long. */
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
  }, DRAW_EVERY_MS);
  try {
    return await make((made) => {
      last = { ...made, since: last?.since ?? performance.now() };
    });
  } finally {
    clearInterval(drawing);
    draw(true);
  }
}

/** Files named of those that could not be made; the table of their kind has all. */
const MOST_NAMED = 5;

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

/** Says why the report was not written; an earlier one is still there. */
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
  const more = lines.length - MOST_NAMED;
  return [...lines.slice(0, MOST_NAMED), ...(more > 0 ? [`  and ${more} more: see ${table}`] : [])];
}

/** Describes tables that somebody had edited before they were written again. `out`: absolute. */
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

/** Maximum rows that are named. */
const SHOWN = 5;

/** A redrive of a row whose files were removed on purpose always pays, whatever other rows have. */
const FREE_WAY =
  'If another row has the same result undamaged, that costs nothing: run the manifest as a new batch, which uses it ' +
  '(voxbatch plan MANIFEST --name NEW-NAME says what it would pay for).';

/** A batch and its store. `isRequestRemoved`: its rows' inputs were removed too, so none can be redriven. */
interface Place {
  readonly batch: string;
  readonly store: string;
  readonly isRequestRemoved?: boolean;
}

/**
 * Describes results that the store no longer has unchanged, with the next command: writing the files again cannot help,
 * only the right store, their jobs or a new take can.
 */
export function damageLines(all: Damaged, place: Place): readonly string[] {
  const damaged = all.filter(({ is }) => is !== 'removed');
  const removed = all.filter(({ is }) => is === 'removed');
  return [
    ...(damaged.length === 0 ? [] : lostLines(damaged, place)),
    ...(removed.length === 0 ? [] : [removedLine(removed, place), FREE_WAY]),
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
  const more = rows.length > SHOWN ? ` and ${rows.length - SHOWN} more` : '';
  return `${rows.slice(0, SHOWN).map(namedRow).join(', ')}${more}`;
}

/** Says which uploaded local media were removed, or would be; nothing if there are none. */
export function uploadLines(
  { files, bytes }: { readonly files: number; readonly bytes: number },
  isDryRun: boolean,
): readonly string[] {
  if (files === 0) return [];
  const verb = isDryRun ? 'Would remove' : 'Removed';
  return [`${verb} ${plural(files, 'uploaded file')} of rows that have ended, ${size(bytes)}.`];
}

/** `2 GB: 1 GB are free now, 1 GB have other names (out folders) and stay there`. `others`: what those names are of. */
export function freedWords(
  { bytes, freed }: { readonly bytes: number; readonly freed: number },
  isDryRun: boolean,
  others: string,
): string {
  const shared = bytes - freed;
  const elsewhere = shared > 0 ? `, ${size(shared)} have other names (${others}) and stay there` : '';
  return `${size(bytes)}: ${size(freed)} ${isDryRun ? 'would be free' : 'are free now'}${elsewhere}`;
}
