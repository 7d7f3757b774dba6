import type { ExitName } from '../../contract/exit-codes.ts';
import { UnfitName } from '../../results/names.ts';
import { filesOf, type RowFile, type ScannedRow } from '../../results/result-line.ts';
import { isDeserted } from '../anybody-in.ts';
import { ExitError } from '../exit-error.ts';
import { lookAtLedger } from '../look-at.ts';
import { chooseBatch } from '../open-records.ts';
import { findRow } from '../../batches/choose-rows.ts';
import type { Output } from '../terminal/output.ts';
import { storyJson, storyLines } from '../terminal/row-story.ts';

export interface ExplainFlags {
  readonly batch?: string;
  readonly json?: boolean;
}

/** `voxbatch explain ROW`: the whole story of one row. ROW is an id, or a row's number where no row has that id. */
export async function explain(wanted: string, flags: ExplainFlags, output: Output): Promise<ExitName> {
  return lookAtLedger<ExitName>(async (ledger, settings) => {
    const batch = await chooseBatch(ledger, flags.batch);
    const number = await findRow(ledger, batch, wanted);
    const found = number === undefined ? undefined : await ledger.readRow(batch.name, number);
    if (found === undefined) {
      throw new ExitError(
        'usage',
        `Batch "${batch.name}" has no row "${wanted}". Expected an id, or a number from 1 to ${batch.rows}. ` +
          'Rows of another batch: --batch NAME.',
      );
    }
    const takes = await ledger.takesOf(batch.name, found.row.row);
    const story = {
      store: settings.store,
      money: await ledger.money(batch.name),
      batch,
      isDeserted: batch.state === 'open' && isDeserted(ledger, settings.home),
      ...found,
      takes,
      decisions: await ledger.decisionsOf(batch.name, found.row.row),
      files: namesOf(found, batch),
    };
    if (flags.json === true) output.data(JSON.stringify(storyJson(story)));
    else for (const line of storyLines(story)) output.data(line);
    return 'complete';
  });
}

function namesOf({ row }: ScannedRow, batch: Parameters<typeof storyJson>[0]['batch']): readonly RowFile[] {
  try {
    return filesOf(row, batch);
  } catch (error) {
    // The file is in the store, but no name can be made for it; `results` says which part of the name is wrong.
    if (error instanceof UnfitName) return [];
    throw error;
  }
}
