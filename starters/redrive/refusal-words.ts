import { rowArg, rowsArg } from '../../client/status/continue-command.ts';
import type { NotRedrivable } from '../../client/redrive/redrive-options.ts';
import type { Control } from '../../contract/outcomes.ts';
import { partId } from '../../contract/row-parts.ts';
import { shellWord } from '../../contract/shell-word.ts';
import {
  goOnCommand,
  namedRow,
  rowsInWords,
  unitsInWords,
  unnamedRows,
  form,
  number,
  plural,
} from '../terminal/words.ts';
import { oneLine } from '../terminal/table.ts';

type Forecast = Extract<NotRedrivable, { readonly type: 'refused-rows' }>['forecast'];
type RefusedRow = Forecast['refused'][number];

/**
 * Texts for redrives that are refused: because of their rows, the names in their flags, or the lines of their file.
 */

/** Rows that are listed; the others are counted. */
const MAX_ROWS = 20;

/** Explains why a redrive was refused: which rows cannot be redriven, and what the user can do instead. */
export function refusalLines(
  {
    refused,
    refusedFor,
    refusedParts,
    count: others,
  }: Pick<Forecast, 'refused' | 'refusedFor' | 'refusedParts' | 'count'>,
  batch: string,
  { command, isFile }: { readonly command: string; readonly isFile: boolean },
): readonly string[] {
  const name = shellWord(batch);
  const has = (why: RefusedRow['why']): boolean => refusedFor.has(why);
  const countOf = (why: RefusedRow['why']): number => refusedFor.get(why) ?? 0;
  const doubtful = refused.filter(({ why }) => why === 'unknown' || why === 'running' || why === 'stored');
  // Only for rows in doubt: others would be paid for although their results can be had free.
  const resubmit =
    others === 0 && !has('stored')
      ? `${command} --resubmit`
      : `voxbatch redrive ${name} --rows ${shellWord(rowsArg(doubtful))} --resubmit${unnamedRows({ count: countOf('unknown') + countOf('running') + countOf('stored') })}`;
  const choices = [
    ...settleLines({ refused, refusedFor }, batch),
    ...(doubtful.length > 0 ? [`  ${resubmit}    pays for these rows again; they may be charged twice`] : []),
    ...(has('on-the-wire') ? [`  voxbatch watch ${name}, then the same command again`] : []),
    ...(has('no-step') ? ['  the same command for rows of a kind that has the step (--where kind=…)'] : []),
    ...(has('in-parts')
      ? ['  run the edited manifest under another --name, with --split: parts that did not change cost nothing again']
      : []),
    ...(others === 0
      ? []
      : [
          isFile
            ? '  leave these rows out of the file'
            : `  leave these rows out (${has('no-return') ? '--accept' : '--rows, --where'})`,
        ]),
  ];
  return [
    `${countedUnits({ refusedFor, refusedParts })} cannot be redriven this way. Nothing was changed. Nothing was spent.`,
    ...namedRefusals({ refused, refusedFor }),
    ...(choices.length === 0 ? [] : ['Choices:', ...choices]),
  ];
}

type Refusals = Pick<Forecast, 'refused' | 'refusedFor' | 'refusedParts'>;

/** Lists rows that a redrive leaves out because they may have been charged, and how to settle them. */
export function leftOutLines(refusals: Refusals, batch: string): readonly string[] {
  if (refusals.refused.length === 0) return [];
  return [
    `${countedUnits(refusals)} left out, which may have been charged:`,
    ...namedRefusals(refusals),
    'To settle them, then run the same command again:',
    ...settleLines(refusals, batch),
    ...(refusals.refusedFor.has('on-the-wire') ? [`  voxbatch watch ${shellWord(batch)}`] : []),
  ];
}

function countedUnits({ refusedFor, refusedParts }: Omit<Refusals, 'refused'>): string {
  return unitsInWords({ count: countAll(refusedFor), parts: refusedParts });
}

function countAll(refusedFor: Refusals['refusedFor']): number {
  return [...refusedFor.values()].reduce((sum, rows) => sum + rows, 0);
}

function namedRefusals({ refused, refusedFor }: Omit<Refusals, 'refusedParts'>): readonly string[] {
  const all = countAll(refusedFor);
  return [
    ...refused.slice(0, MAX_ROWS).map((row) => `  ${namedRow(row)}: ${REASONS[row.why](row)}`),
    ...(all > MAX_ROWS ? [`  and ${number(all - MAX_ROWS)} more`] : []),
  ];
}

/** The free commands that settle the refused rows. */
function settleLines({ refused, refusedFor }: Omit<Refusals, 'refusedParts'>, batch: string): readonly string[] {
  const name = shellWord(batch);
  const left = refused.filter(({ leftTake }) => leftTake !== undefined);
  return [
    ...(refusedFor.has('unknown')
      ? [`  voxbatch reconcile ${name}    finds out what became of lost requests, free`]
      : []),
    ...(refusedFor.has('stored')
      ? [`  voxbatch reconcile ${name}    names the command that gives rows their stored results, free`]
      : []),
    ...((refusedFor.get('running') ?? 0) > left.length
      ? [`  voxbatch redrive ${name} --where outcome=overdue    waits for running jobs, free`]
      : []),
    ...(left.length > 0
      ? [
          `  voxbatch redrive ${name} --accept ${abandonedTakes(left)}    fetches the result of that job, free; its row keeps what it has until then`,
        ]
      : []),
  ];
}

/** The takes that rows have left for a newer one while their jobs ran, as the value of `--accept`. */
function abandonedTakes(rows: readonly RefusedRow[]): string {
  const takes = rows.slice(0, MAX_ROWS).map((row) => `${rowArg(row)}/${String(row.leftTake)}`);
  return `${shellWord(takes.join(','))}${unnamedRows({ count: rows.length })}`;
}

const REASONS: Readonly<Record<RefusedRow['why'], (row: RefusedRow) => string>> = {
  unknown: ({ step }) => `the answer to its ${step} request was lost, so it may have been charged`,
  running: ({ step, leftTake }) =>
    leftTake === undefined
      ? `its ${step} job was accepted and may still run`
      : `the result of its ${step} job of take ${String(leftTake)}, which was accepted, has not been fetched`,
  stored: ({ stored }) => `the store has a result of it (${stored?.key ?? ''}), whose request the ledger lacks`,
  'on-the-wire': ({ step }) => `its ${step} request is on the wire`,
  'no-step': ({ step }) => `its kind has no step ${step}`,
  'in-parts': () => 'it was edited, and is spoken in parts, which are those of its old text',
  'no-return': ({ id, because }) => (because === undefined ? 'it has no such take' : noReturnWords(id, because)),
};

/** Returns why the row `id` cannot go back to an earlier take, and what else can be done. */
function noReturnWords(id: string, refusal: NonNullable<RefusedRow['because']>): string {
  const take = `take ${String(refusal.take)}`;
  switch (refusal.why) {
    case 'no-file':
      return `${take} made no result; ${refusal.takes.length === 0 ? 'no take did' : `these did: ${refusal.takes.join(', ')}`}`;
    case 'other-request':
      return (
        `it was edited for take ${String(refusal.editedBy)}, so the result of ${take} is of other cells. ` +
        'Its file is kept in the store, where explain names it. To speak those cells again, at their price, edit them back and redrive the file (--from)'
      );
    case 'lost-file':
      return `a stored file of ${take} is ${refusal.is}, and the row keeps what it has. ${jobWords(refusal.jobId)}`;
    case 'whole':
      return `it is spoken in parts, which have takes of their own: name a part, such as ${partId(oneLine(id), 1)}/${String(refusal.take)}`;
  }
}

function jobWords(jobId: string | null): string {
  return jobId === null
    ? 'No job made it that could be read again: restore the file from a backup of the store, then run the same command again'
    : `Job ${oneLine(jobId)} made it, was paid for, and may still be in your account; or restore the file from a backup of the store, then run the same command again`;
}

/** Names that are listed. */
const MAX_NAMES = 10;

/** Returns the message for names of rows that the batch does not have. */
export function unknownRowsText(
  words: readonly string[],
  batch: { readonly name: string; readonly rows: number },
): string {
  const named = words.slice(0, MAX_NAMES).map((word) => `"${word}"`);
  const more = words.length > named.length ? ` and ${String(words.length - named.length)} more` : '';
  return `Batch "${batch.name}" has no row ${named.join(', ')}${more}. Expected ids, or numbers from 1 to ${String(batch.rows)}.`;
}

/** Returns the message for takes that do not exist, or two takes of one row. */
export function noTakeText(
  found: Extract<NotRedrivable, { readonly type: 'no-take' | 'two-takes' }>,
  batch: string,
): string {
  return found.type === 'no-take'
    ? `Row "${found.word}" of batch "${batch}" has no take ${String(found.take)}; it has had ${String(found.takes)}.`
    : `"${found.word}" names a row again, with another take. Give one take for each row.`;
}

/** A file of `--from` whose rows cannot be matched to the batch. Other errors are reported as those of any manifest. */
type UnusableFile = Extract<
  NotRedrivable,
  { readonly type: 'other-batch' | 'missing-columns' | 'new-columns' | 'no-ids' | 'mismatched' }
>;
type Mismatched = Extract<UnusableFile, { readonly type: 'mismatched' }>;
type NameClash = Extract<Mismatched['first'][number], { readonly type: 'same-name' }>;
type LineMismatch = Exclude<Mismatched['first'][number], NameClash>;

/** Returns why the rows of a file cannot be redriven. `label`: the file's name. */
export function unusableText(found: UnusableFile, label: string, batch: string): string {
  switch (found.type) {
    case 'other-batch':
      return `${label} has rows of batch "${found.other}", not of "${batch}".`;
    case 'missing-columns':
      return `${label} lacks ${quoted(found.columns)}: expected all columns of the batch.`;
    case 'new-columns':
      return `${label} has ${quoted(found.columns)}, unknown to the batch. A redrive can change cells, not columns.`;
    case 'no-ids':
      return (
        `The rows of ${label} cannot be identified: it has no id column, and generated ids change with the content. ` +
        'Edit an outcome file of the batch instead (failed.csv, results.csv …); it has a _row column.'
      );
    case 'mismatched':
      return (
        `${label} has ${form(found.count, 'a row', rowsInWords(found.count))} that cannot be redriven. ` +
        (hasOnlyNewRows(found)
          ? 'A batch cannot get new rows. Run them as a new batch.'
          : `Mend ${form(found.count, 'it', 'them')} in the file, then run the same command again.`)
      );
  }
}

function hasOnlyNewRows({ first }: Mismatched): boolean {
  return first.every(({ type }) => type === 'no-such-row');
}

/** Describes the file lines that do not fit the batch, one per line, then how many more there are. */
export function mismatchLines({ first, count }: Mismatched, batch: string): readonly string[] {
  const lines = first.map((mismatch) =>
    mismatch.type === 'same-name' ? clashText(mismatch) : mismatchText(mismatch, batch),
  );
  return count > first.length ? [...lines, `and ${String(count - first.length)} more`] : lines;
}

function mismatchText(mismatch: LineMismatch, batch: string): string {
  return `line ${String(mismatch.line)}, id ${oneLine(mismatch.id)}: ${whyText(mismatch, batch)}`;
}

function whyText(mismatch: LineMismatch, batch: string): string {
  switch (mismatch.type) {
    case 'no-such-row':
      return `expected a row of batch "${batch}"; it has none with this ${mismatch.by}`;
    case 'twice':
      return `expected each row once; line ${String(mismatch.before)} is row ${String(mismatch.row)} too`;
    case 'other-id':
      return `expected the id of row ${String(mismatch.row)}, "${oneLine(mismatch.expected)}": it names files and cannot be changed`;
    case 'other-job':
      return (
        `row ${String(mismatch.row)} of batch "${batch}" has no job ${oneLine(mismatch.got)}: the file is of another batch of this name, ` +
        'or older than the last "reconcile --release"'
      );
    case 'new-name':
      return (
        `expected the id of a voice, or the name that the row had; got "${oneLine(mismatch.got)}": names are looked up only when a batch is made ` +
        (mismatch.made === undefined
          ? '(voxbatch voices list)'
          : `(write ${oneLine(mismatch.made)}, the id of the voice of this name that the batch made)`)
      );
    case 'other-kind':
      return `expected kind ${mismatch.expected}, as row ${String(mismatch.row)} has; got ${mismatch.got}`;
  }
}

function clashText({ row, id, other, name }: NameClash): string {
  return `${namedRow({ row, id })}: expected a unique result name; row ${String(other)} has ${oneLine(name)} too`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** Returns why a file with edits of unfinished rows is refused: they would be paid for with their old text. */
export function openEditsText({ openEdited }: Pick<Forecast, 'openEdited'>, batch: string): string {
  const has = form(openEdited, 'has', 'have');
  const go = form(openEdited, 'it goes on, and is paid for, as it was', 'they go on, and are paid for, as they were');
  return (
    `${plural(openEdited, 'edited row')} of batch "${batch}" ${has} not ended: ${go} before the edit. Nothing was changed. Nothing was spent. ` +
    endFirstAdvice(batch)
  );
}

/** Returns the message if not all rows could be opened. `opened`: how many were; `why`: the ledger's sentence. */
export function notOpenedText(
  batch: Parameters<typeof goOnCommand>[0] & { readonly control: Control },
  { opened, why }: { readonly opened: number; readonly why: string },
): string {
  return [
    `${why} Nothing was spent.`,
    ...(opened === 0 ? [] : [`${rowsInWords(opened)} were opened before that; continue with: ${goOnCommand(batch)}`]),
    ...(batch.control === 'stopping' && opened === 0 ? [endFirstAdvice(batch.name)] : []),
  ].join(' ');
}

/** Returns how to end the open rows of a batch, so that the command can then be repeated. */
export function endFirstAdvice(batch: string): string {
  return `To end the batch first (what runs is fetched later, free): voxbatch stop ${shellWord(batch)} --now. Then run the same command again.`;
}
