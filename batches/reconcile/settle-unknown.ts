import { stepsIn } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, ChargeRecord } from '../../ledger/record-types.ts';
import { namedTakenJob } from '../../ledger/taken-jobs.ts';
import type { FreeReads } from '../free-reads.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { hasList, lacksOnlyCheck, madeBy } from '../look/leftovers.ts';
import { nameOf } from '../rows/named-row.ts';
import type { SettledRow } from './settled-row.ts';
import { isUnknown } from './unknown-rows.ts';

/** Rows to look up together: they share one reading of the API's list. */
const ROWS_A_LOOK = 500;

/**
 * Looks again in the store and in the API's list for traces of unknown rows' requests, and settles what it finds. Free.
 * An `adopted` row is open again, so its batch needs a worker. Skips rows that do not exist.
 */
export async function* settleUnknown(
  ledger: Ledger,
  reads: Pick<FreeReads, 'findTrace'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  rows: readonly number[],
): AsyncGenerator<SettledRow, void, undefined> {
  for (let at = 0; at < rows.length; at += ROWS_A_LOOK) {
    const some = rows.slice(at, at + ROWS_A_LOOK);
    const traces = await Promise.all(some.map((row) => traceOf(ledger, reads, batch.name, row)));
    for (const [place, row] of some.entries()) {
      const trace = traces[place];
      const found = await ledger.readRow(batch.name, row);
      if (trace === undefined || found === undefined) continue;
      const last = found.charges.findLast((charge) => charge.take === presentTake(found.row));
      const facts = { ...nameOf(found.row), jobId: last?.jobId ?? null };
      if (trace.type !== 'none') yield { ...facts, ...trace };
      else if (!isUnknown(found.row)) yield { ...facts, type: 'moved-on' };
      else {
        const { tts } = batch.settings;
        const only = lacksOnlyCheck(found) ? { lacksOnlyCheck: true as const } : {};
        const failure = last?.failure ?? null;
        const answer = failure !== null && namedTakenJob(failure) ? { answer: failure.message } : {};
        const about = { hasList: hasList(found, tts), makes: madeBy(found, tts), ...only, ...answer };
        yield { ...facts, type: 'still-unknown', ...about };
      }
    }
  }
}

async function traceOf(
  ledger: Ledger,
  reads: Pick<FreeReads, 'findTrace'>,
  batch: string,
  row: number,
): ReturnType<FreeReads['findTrace']> {
  const attempt = await findUnresolved(ledger, batch, row);
  return attempt?.state === 'unknown' ? reads.findTrace(attempt) : { type: 'none' };
}

/** The request of a take that has no answer or an unknown outcome. Default: the row's present take. */
export async function findUnresolved(
  ledger: Pick<Ledger, 'readRow'>,
  batch: string,
  row: number,
  wanted?: number,
): Promise<ChargeRecord | undefined> {
  const found = await ledger.readRow(batch, row);
  // The requests of a row in parts are those of its parts.
  if (found === undefined || found.row.parts !== null) return undefined;
  const steps = stepsIn(found.row.spec);
  const take = wanted ?? presentTake(found.row);
  const unresolved = found.charges.filter(
    (one) => one.take === take && (one.state === 'unknown' || one.state === 'sending'),
  );
  // A later step is sent only after the step before it is settled.
  return unresolved.findLast(({ step }) => steps.includes(step));
}
