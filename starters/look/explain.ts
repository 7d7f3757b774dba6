import { explainRow, type RowHistory } from '../../batches/look/explain.ts';
import { isSingle } from '../../batches/single/single-job.ts';
import { defaultOut } from '../../batches/batch-name.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isDeserted } from '../../client/temporal/anybody-in.ts';
import { atLedger } from '../at-ledger.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { searchedStore } from '../../client/redrive/searched-store.ts';
import { isStranger } from '../../client/trust/known-ledgers.ts';
import type { Settings } from '../../client/settings.ts';
import { isWritten } from '../../results/is-written.ts';
import type { Output } from '../terminal/output.ts';
import { historyJson, historyLines } from '../terminal/row-history.ts';
import { rowReadings, type RowReading, type TypedRow } from './row-readings.ts';

/** Which row to explain. `first`: an id, or a row's number where no row has that id; `second`: its batch, in either order. */
export type ExplainRequest = TypedRow & { readonly json?: boolean | undefined };

/** `voxbatch explain ROW`: the whole history of one row. */
export async function explain(request: ExplainRequest, output: Output): Promise<ExitName> {
  return atLedger<ExitName>(async (ledger, settings) => {
    const found = await findHistory(ledger, request, settings);
    const { batch, money } = found;
    const isNobodyThere = batch.state === 'open' && (await isDeserted(ledger, settings.home));
    const written = await isWritten(defaultOut(batch.name), { batch, counts: await ledger.counts(batch.name), money });
    const history = {
      ...found,
      store: settings.store,
      isDeserted: isNobodyThere,
      isWritten: written,
      isStranger: isStranger(settings, ledger),
    };
    if (request.json === true) output.data(JSON.stringify(historyJson(history)));
    else for (const line of historyLines(history)) output.data(line);
    return 'complete';
  });
}

/**
 * The row that is meant. `settings`: those of the store that its file is looked for in; default: none. Throws
 * {@link ExitError} `usage` where there is no such row, or where each word is a batch with a row of the other's name.
 */
export async function findHistory(
  ledger: Ledger,
  request: ExplainRequest,
  settings?: Pick<Settings, 'store'>,
): Promise<RowHistory> {
  const batches = await ledger.listBatches();
  const known = batches.map(({ name }) => name);
  const single = batches.filter(isSingle).map(({ name }) => name);
  const readings = rowReadings(request, { known, single });
  const [reading, other] = readings;
  if (reading === undefined) {
    const { first, second = '', named = '' } = request;
    throw usageError(`One row at a time: "${first}" or "${second}", of --batch ${shellWord(named)}?`);
  }
  const found: RowHistory[] = [];
  for (const each of readings) {
    const batch = await chooseBatch(ledger, each.batch);
    const store = settings && searchedStore(settings, ledger, batch);
    const answer = await explainRow(ledger, batch, each.row, store);
    if (answer.type === 'found') found.push(answer.history);
  }
  const [history, another] = found;
  if (history === undefined) throw await noRow(ledger, reading);
  if (other !== undefined && another !== undefined)
    throw usageError(`Which row? Either ${commandOf(reading)} or ${commandOf(other)}.`);
  return history;
}

async function noRow(ledger: Ledger, { row, batch }: RowReading): Promise<ExitError> {
  const { name, rows } = await chooseBatch(ledger, batch);
  return new ExitError(
    'usage',
    `Batch "${name}" has no row "${row}". Expected an id, or a number from 1 to ${rows}. For another batch, add --batch NAME.`,
  );
}

function commandOf({ row, batch = '' }: RowReading): string {
  return `voxbatch explain ${shellWord(row)} --batch ${shellWord(batch)}`;
}
