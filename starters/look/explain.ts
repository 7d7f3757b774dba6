import type { RunContext } from '../command-context.ts';
import { nextCommand } from '../../contract/next-command.ts';
import { explain as explainRow, type RowAnswer, type RowReading, type RowRequest } from '../../client/look/explain.ts';
import { viewRow } from '../../client/look/row-view.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { snakeCase } from '../../contract/snake-case.ts';
import { atLedger } from '../at-ledger.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { commandLine } from '../terminal/command.ts';
import { historyLines, nextWords } from '../terminal/row-history.ts';

/** `voxbatch explain ROW`: the whole history of one row. */
export async function explain(
  first: string,
  second: string | undefined,
  { batch: named, json }: Flags,
  { output }: RunContext,
): Promise<ExitName> {
  const request = { first, second, named };
  const answer = await atLedger((ledger, settings) => explainRow(ledger, settings, request));
  if (answer.type !== 'explained') throw unclearRow(answer, request);
  const { row } = answer;
  if (json === true) output.data(JSON.stringify({ ...snakeCase(viewRow(row)), next: nextWords(row) }));
  else for (const line of historyLines(row)) output.data(line);
  return 'complete';
}

/** Why it is not clear which row is meant. */
export function unclearRow(answer: Exclude<RowAnswer, { readonly type: 'found' }>, request: RowRequest): ExitError {
  switch (answer.type) {
    case 'contradiction': {
      const { first, second = '', named = '' } = request;
      return usageError(`One row at a time: "${first}" or "${second}", of --batch ${shellWord(named)}?`);
    }
    case 'ambiguous': {
      const [one, other] = answer.readings;
      return usageError(`Which row? Either ${commandOf(one)} or ${commandOf(other)}.`);
    }
    case 'no-row': {
      const { row, batch } = answer;
      return new ExitError(
        'usage',
        `Batch "${batch.name}" has no row "${row}". Expected an id, or a number from 1 to ${batch.rows}. For another batch, add --batch NAME.`,
      );
    }
  }
}

function commandOf({ row, batch = '' }: RowReading): string {
  return commandLine(nextCommand('explain', row, '--batch', batch));
}
