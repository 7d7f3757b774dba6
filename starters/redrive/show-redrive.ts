import type { chooseBatch } from '../../client/open-records.ts';
import type { NotRedrivable, RedriveEnd, RedriveEvent } from '../../client/redrive/redrive-options.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { nextCommand } from '../../contract/shell-word.ts';
import { ExitError, unchangedError } from '../exit-error.ts';
import type { Invocation } from '../invocation.ts';
import { finishRun } from '../run/finish-run.ts';
import { refuseProblems, printWarnings } from '../run/report-problems.ts';
import { finishClosed, workOnBatch } from '../run/work-on-batch.ts';
import type { Output } from '../terminal/output.ts';
import { commandLine, goOnCommand, rowsInWords } from '../terminal/words.ts';
import { noteTake } from '../recorded-take.ts';
import { forecastLines, unaskedText } from './redrive-words.ts';
import { leftBudgetRefusal, spendError } from '../terminal/spend-words.ts';
import {
  mismatchLines,
  noTakeText,
  notOpenedText,
  openEditsText,
  refusalLines,
  unknownRowsText,
  unusableText,
} from './refusal-words.ts';

type BatchRecord = Awaited<ReturnType<typeof chooseBatch>>;

/** The batch and the command line of `redrive`, `run failed.csv` or `reconcile`. */
export interface RedriveCommand {
  readonly batch: BatchRecord;
  /** The command as typed, for advice. */
  readonly command: string;
  /** The file that the rows come from, as typed. Default: rows are selected by flags. */
  readonly file?: string | undefined;
  /** Whether the command line sets a budget. Default: false. */
  readonly givesBudget?: boolean;
  /** The absolute path of the out folder. */
  readonly out: string;
}

/**
 * Returns a function that prints the events of a redrive's planning, and notes the new take before rows are opened.
 * `isPreview`: the redrive will not be done.
 */
export function redrivePrinter(
  { batch, out }: Pick<RedriveCommand, 'batch' | 'out'>,
  { output, takeNote }: Pick<Invocation, 'output' | 'takeNote'>,
  isPreview = false,
): (event: RedriveEvent) => void {
  return (event) => {
    switch (event.type) {
      case 'file-read':
        printWarnings(event, output);
        return;
      case 'rewritten': {
        const verb = isPreview ? 'would be' : 'is';
        output.say(`${event.key} was lost, and ${verb} written again from what is on record, free.`);
        return;
      }
      case 'planned':
        for (const line of forecastLines(event.forecast, batch.name)) output.say(line);
        return;
      case 'opening':
        noteTake(takeNote, goOnCommand(batch, out));
    }
  };
}

/**
 * Prints how many rows were opened, then works on the batch as `run` does, and returns its exit code. Throws
 * {@link ExitError} if the redrive was refused or not all rows could be opened.
 */
export async function finishRedrive(
  end: RedriveEnd,
  command: RedriveCommand,
  invocation: Invocation,
): Promise<ExitName> {
  const { output } = invocation;
  const { batch, out } = command;
  if (end.type !== 'open' && end.type !== 'finished') throw redriveError(end, command, output);
  const { opened, movedOn, forecast } = end;
  if (forecast.count > 0) {
    if (movedOn > 0) {
      output.say(
        `${rowsInWords(movedOn)} changed meanwhile: another command took them, or their answer arrived. Nothing is paid for them here.`,
      );
    }
    output.say(`Batch "${batch.name}": ${rowsInWords(opened)} redriven.`);
  } else if (end.type === 'open') output.say(`Batch "${batch.name}" is not finished; it continues.`);
  return end.type === 'open'
    ? workOn(batch, out, invocation, opened > 0)
    : finishRun({ batch: batch.name, out, why: 'closed' }, invocation);
}

/** Works on a batch until it is closed, and writes its files. `isReopened`: this command has opened rows of it. */
export async function workOn(
  batch: BatchRecord,
  out: string,
  invocation: Invocation,
  isReopened: boolean,
): Promise<ExitName> {
  const record = (await (await invocation.session.ledger()).findBatch(batch.name)) ?? batch;
  if (isReopened) noteTake(invocation.takeNote, goOnCommand(record, out));
  const place = { batch: batch.name, out };
  return record.state === 'closed'
    ? finishClosed(batch.name, invocation, () => finishRun({ ...place, why: 'closed' }, invocation))
    : workOnBatch({ record, isNew: false, out, isReopened }, invocation, (why) =>
        finishRun({ ...place, why }, invocation),
      );
}

/** Returns the error for a refused redrive. Prints all problems of a file first. */
export function redriveError(
  end: NotRedrivable | Exclude<RedriveEnd, { readonly type: 'open' | 'finished' }>,
  { batch, command, file, givesBudget = false }: RedriveCommand,
  output: Output,
): ExitError {
  const statusCommand = commandLine(nextCommand('status', batch.name));
  switch (end.type) {
    case 'missing':
      return unchangedError(unknownRowsText(end.words, batch), statusCommand);
    case 'no-take':
    case 'two-takes':
      return unchangedError(noTakeText(end, batch.name), statusCommand);
    case 'faulty':
      return refuseProblems(end.checked, file ?? '', output);
    case 'mismatched':
      for (const line of mismatchLines(end, batch.name)) output.say(line);
      return unchangedError(unusableText(end, file ?? '', batch.name));
    case 'other-batch':
    case 'missing-columns':
    case 'new-columns':
    case 'no-ids':
      return unchangedError(unusableText(end, file ?? '', batch.name));
    case 'open-edits':
      return new ExitError('usage', openEditsText(end.forecast, batch.name));
    case 'refused-rows': {
      const isFile = file !== undefined;
      return new ExitError('usage', refusalLines(end.forecast, batch.name, { command, isFile }).join('\n'));
    }
    case 'not-opened':
      return new ExitError('usage', notOpenedText(batch, end));
    case 'unasked':
      return new ExitError('refused', unaskedText(end.forecast));
    case 'declined':
      return end.facts.replaced + end.facts.resubmitted > 0
        ? new ExitError('refused', 'Not confirmed. Nothing was changed. Nothing was spent.')
        : spendError(end);
    case 'refused':
      return spendError(end, leftBudgetRefusal(batch.name, givesBudget));
  }
}
