import { printAnswer, type RunContext } from '../terminal/output.ts';
import { nextCommand, shellWord } from '../../contract/shell-word.ts';
import {
  explain as explainRow,
  type RowAnswer,
  type RowReading,
  type RowRequest,
  type RowExplanation,
} from '../../client/rows/explain.ts';
import { viewRow, inputOf, pathOf, takeResults, voiceFound } from '../../client/rows/row-view.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { withLedger } from '../connect/settings.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { commandLine } from '../terminal/words.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { dialectOf } from '../../contract/row-kinds.ts';
import { partNumber } from '../../contract/row-parts.ts';
import { CONFIRM_FIRST } from '../trust/member-words.ts';
import { viewAction } from '../../client/history/history-view.ts';
import { actionLine } from '../terminal/action-words.ts';
import {
  attemptLines,
  contentOf,
  decisionLine,
  failureLines,
  takeLines,
  takeResultLine,
} from '../terminal/attempt-words.ts';
import { awaitedWords, nextForRow } from '../terminal/row-steps.ts';
import { clipped, indent, oneLine, tableLines, type TableColumn } from '../terminal/table.ts';

/** `voxbatch explain ROW`: shows everything about one row. `second` is a batch; the two may be in either order. */
export async function explain(
  first: string,
  second: string | undefined,
  { batch: named, json }: Flags,
  { output }: RunContext,
): Promise<ExitName> {
  const request = { first, second, named };
  const answer = await withLedger((ledger, settings) => explainRow(ledger, settings, request));
  if (answer.type !== 'explained') throw unclearRow(answer, request);
  const { row } = answer;
  printAnswer(output, { json }, { ...viewRow(row), next: nextWords(row) }, () => historyLines(row));
  return 'complete';
}

/** Returns the error for operands that do not name exactly one row. */
export function unclearRow(answer: Exclude<RowAnswer, { readonly type: 'found' }>, request: RowRequest): ExitError {
  switch (answer.type) {
    case 'contradiction': {
      const { first, second = '', named = '' } = request;
      return usageError(`One row at a time: "${first}" or "${second}", of --batch ${shellWord(named)}?`);
    }
    case 'ambiguous': {
      const [one, other] = answer.readings;
      return usageError(`Which row? Either ${commandOf(one)} or ${commandOf(other)}.`, commandOf(one));
    }
    case 'no-row': {
      const { row, batch } = answer;
      return new ExitError(
        'usage',
        `Batch "${batch.name}" has no row "${row}". Expected an id, or a number from 1 to ${batch.rows}. For another batch, add --batch NAME.`,
        { next: commandLine(nextCommand('status', batch.name)) },
      );
    }
  }
}

function commandOf({ row, batch = '' }: RowReading): string {
  return commandLine(nextCommand('explain', row, '--batch', batch));
}

/** Characters of a cell that are shown; `--json` has all. */
const MAX_CELL = 200;
/** Characters of a part's text that are shown. */
const MAX_PART_TEXT = 60;
/** Parts that are listed; of a row with more, only those without a result. */
const MAX_PARTS = 40;

/** Returns everything about a row, as lines. */
export function historyLines(history: RowExplanation): readonly string[] {
  const { batch, row, files } = history;
  const voice = voiceFound(row);
  const dialect = dialectOf(row.spec);
  return [
    `${row.partOf === null ? `Row ${row.row}` : `Part ${partNumber(row.id)} of row ${row.partOf}`} of batch "${batch.name}": ${row.outcome ?? row.state}`,
    `  id ${oneLine(row.id)}, line ${row.line} of ${oneLine(batch.source)}, kind ${row.kind}${dialect === 'v1' ? '' : `, by the ${dialect} paths of the API`}`,
    ...(voice === undefined ? [] : [`  speaks with voice ${oneLine(voice)}`]),
    ...(row.state === 'blocked' && row.parts === null ? [`  waits for ${awaitedWords(row)}`] : []),
    ...inputLines(history),
    ...partLines(history.parts),
    ...requestLines(history),
    ...resultLines(history),
    ...(history.decisions.length === 0 ? [] : ['Decided by people', ...history.decisions.map(decisionLine)]),
    ...(history.actions.length === 0 ? [] : ['Done to it', ...indent(history.actions.map(viewAction).map(actionLine))]),
    ...(row.failure === null ? [] : ['Failure', ...failureLines(row.failure)]),
    ...(row.text === null ? [] : ['Text', `  ${clipped(row.text, MAX_CELL)}`]),
    ...(files.length === 0 ? [] : ['Files in the out folder']),
    ...files.map(({ name, file }) => `  ${name}  ${contentOf(file)}`),
    ...storedLines(history),
    'Next',
    `  ${nextWords(history)}`,
  ];
}

/** Returns what to do about a row. */
export function nextWords(history: RowExplanation): string {
  return history.next === undefined ? CONFIRM_FIRST : nextForRow(history.next, history);
}

function inputLines(history: RowExplanation): readonly string[] {
  if (history.isRequestRemoved) return ['Input: removed (voxbatch clean)'];
  const cells = [...inputOf(history)].filter(([, cell]) => cell !== '');
  const columns: readonly TableColumn<(typeof cells)[number]>[] = [
    { title: 'column', value: ([column]) => column },
    { title: 'cell', value: ([, cell]) => clipped(cell, MAX_CELL) },
  ];
  return ['Input', ...indent(tableLines(columns, cells))];
}

/** A table of the parts, with the beginnings of their texts; if there are many, only those without a result. */
function partLines(parts: RowExplanation['parts']): readonly string[] {
  if (parts.length === 0) return [];
  const lacking = parts.filter(({ outcome }) => !hasResult(outcome));
  const [listed, kind] = parts.length > MAX_PARTS ? [lacking, ' without a result'] : [parts, ''];
  const columns: readonly TableColumn<(typeof parts)[number]>[] = [
    { title: 'part', value: ({ id }) => oneLine(id) },
    { title: 'state', value: ({ outcome, state }) => outcome ?? state },
    { title: 'says', value: ({ text }) => clipped(text, MAX_PART_TEXT) },
  ];
  return [
    `Parts: ${parts.length}, ${parts.length - lacking.length} of them with a result`,
    ...(listed.length === 0 ? [] : indent(tableLines(columns, listed.slice(0, MAX_PARTS)))),
    ...(listed.length > MAX_PARTS ? [`  and ${listed.length - MAX_PARTS} more${kind}`] : []),
  ];
}

/** Paths of stored results that the user may want to hear, since parts are not in the out folder. */
function storedLines({ row, parts, store }: RowExplanation): readonly string[] {
  const kept = row.partOf === null ? parts.filter(({ outcome }) => outcome === 'unfit') : [row];
  const lines = kept.flatMap(({ id, file }) => {
    const path = pathOf(file, store);
    return file === null || path === null ? [] : [`  ${oneLine(id)}  ${path}  ${contentOf(file)}`];
  });
  if (lines.length === 0) return [];
  return [row.partOf === null ? 'Parts that failed a check, in the store' : 'File in the store', ...lines];
}

/** The results of a row with several takes: which is in use, and where each is. */
function resultLines(history: RowExplanation): readonly string[] {
  const results = history.takes.length === 0 ? [] : takeResults(history);
  if (results.length === 0) return [];
  return ['Results of its takes', ...results.map((result) => takeResultLine(result, history.store))];
}

/** All paid requests. With several takes each is listed below its take, except for parts, whose takes are their own. */
function requestLines(history: RowExplanation): readonly string[] {
  const { row, charges, takes } = history;
  if (takes.length === 0 || row.parts !== null) {
    const none = `Paid requests: none${row.outcome === null ? ' so far' : ''}`;
    return [
      ...takes.flatMap(takeLines),
      charges.length === 0 ? none : 'Paid requests',
      ...charges.flatMap((charge) => attemptLines(charge, history)),
    ];
  }
  const ofTake = (take: number): readonly string[] => {
    const made = charges.filter((charge) => charge.take === take);
    if (made.length > 0) return made.flatMap((charge) => attemptLines(charge, history));
    return [row.outcome === null && row.take === take ? '  no request so far' : '  no request was made'];
  };
  return ['Take 1', ...ofTake(1), ...takes.flatMap((take) => [...takeLines(take), ...ofTake(take.take)])];
}
