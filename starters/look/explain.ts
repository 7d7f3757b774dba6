import { explainRow } from '../../batches/explain.ts';
import { defaultOut } from '../../batches/batch-name.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { isDeserted } from '../../client/anybody-in.ts';
import { ExitError } from '../exit-error.ts';
import { lookAtLedger } from './look-at.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { isWritten } from '../../results/is-written.ts';
import type { Output } from '../terminal/output.ts';
import { historyJson, historyLines } from '../terminal/row-history.ts';

export interface ExplainFlags {
  readonly batch?: string;
  readonly json?: boolean;
}

/** `voxbatch explain ROW`: the whole history of one row. ROW is an id, or a row's number where no row has that id. */
export async function explain(wanted: string, flags: ExplainFlags, output: Output): Promise<ExitName> {
  return lookAtLedger<ExitName>(async (ledger, settings) => {
    const batch = await chooseBatch(ledger, flags.batch);
    const found = await explainRow(ledger, batch, wanted);
    if (found.type === 'no-row') {
      throw new ExitError(
        'usage',
        `Batch "${batch.name}" has no row "${wanted}". Expected an id, or a number from 1 to ${batch.rows}. ` +
          'For another batch, add --batch NAME.',
      );
    }
    const isNobodyThere = batch.state === 'open' && (await isDeserted(ledger, settings.home));
    const { money } = found.history;
    const written = await isWritten(defaultOut(batch.name), { batch, counts: await ledger.counts(batch.name), money });
    const history = { ...found.history, store: settings.store, isDeserted: isNobodyThere, isWritten: written };
    if (flags.json === true) output.data(JSON.stringify(historyJson(history)));
    else for (const line of historyLines(history)) output.data(line);
    return 'complete';
  });
}
