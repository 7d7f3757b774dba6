import { stepsIn } from '../contract/row-kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, ChargeRecord, RowRecord } from '../ledger/record-types.ts';
import { selectRows } from './choose-rows.ts';
import type { FreeReads } from './free-reads.ts';
import { hasList, mayHaveJob } from './leftovers.ts';
import type { SettledRow } from './settled-row.ts';

/** Rows to look up together: they share one reading of the API's list. */
const ROWS_A_LOOK = 500;

/** Numbers of rows that may have been charged, whether they ended `unknown` or `failed`. */
export async function unknownRows(ledger: Ledger, batch: string): Promise<readonly number[]> {
  const rows: number[] = [];
  for (const choice of [{ outcomes: ['unknown'] }, { outcomes: ['failed'], classes: ['OutcomeUnknown'] }] as const) {
    for await (const { row } of selectRows(ledger, batch, choice)) {
      if (row.parts === null) rows.push(row.row);
      else
        rows.push(
          ...(await ledger.partsOf(batch, row.row)).flatMap((part) => (isUnknown(part.row) ? part.row.row : [])),
        );
    }
  }
  return rows.sort((a, b) => a - b);
}

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
      const last = found.charges.findLast((charge) => charge.take === found.row.take);
      const facts = { row, id: found.row.id, jobId: last?.jobId ?? null };
      if (trace.type !== 'none') yield { ...facts, ...trace };
      else if (!isUnknown(found.row)) yield { ...facts, type: 'moved-on' };
      else {
        const { tts } = batch.settings;
        yield { ...facts, type: 'still-unknown', hasList: hasList(found, tts), makesJob: mayHaveJob(found, tts) };
      }
    }
  }
}

/** Selects as {@link unknownRows} does. */
function isUnknown({ outcome, failure }: RowRecord): boolean {
  return outcome === 'unknown' || (outcome === 'failed' && failure?.class === 'OutcomeUnknown');
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
  if (found === undefined) return undefined;
  const steps = stepsIn(found.row.spec);
  const take = wanted ?? found.row.take;
  const unresolved = found.charges.filter(
    (one) => one.take === take && (one.state === 'unknown' || one.state === 'sending'),
  );
  // A later step is sent only after the step before it is settled.
  return unresolved.findLast(({ step }) => steps.includes(step));
}
