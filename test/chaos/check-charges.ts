import { hasFile } from '../../results/result-line.ts';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import type { BatchFiles, ResultRow } from './batch-files.ts';
import { chargedStepOf, nameOfStep, orderOf } from './charged-step.ts';
import type { Finding } from './finding.ts';

/** Credits that may be lost in the rounding of a sum. */
const NOISE = 1e-3;

/** Judges the money by the simulator's ledger and the batches' files alone. */
export function checkCharges(charges: readonly LedgerEntry[], batches: readonly BatchFiles[]): Finding[] {
  return [chargedOnce(charges), orderedOnce(charges), accounted(charges, batches), summed(charges, batches)];
}

function chargedOnce(charges: readonly LedgerEntry[]): Finding {
  const steps = charges.map((charge) => chargedStepOf(charge)).filter((step) => step !== undefined);
  return {
    promise: 'no row, step and take is charged twice',
    broken: repeated(steps.map(nameOfStep)),
    seen: `${charges.length} charges`,
  };
}

/** The same, by what was ordered: a key that changed cannot hide a second charge. */
function orderedOnce(charges: readonly LedgerEntry[]): Finding {
  return { promise: 'no text or source is charged twice, whatever its key', broken: repeated(charges.map(orderOf)) };
}

/** Every charge belongs to a row that has its job, or that says that it may have been charged. */
function accounted(charges: readonly LedgerEntry[], batches: readonly BatchFiles[]): Finding {
  const rows = rowsByPlace(batches);
  const holders = new Map<string, string>();
  for (const [place, { _job_ids }] of rows) for (const job of _job_ids) holders.set(job, place);
  const broken = charges.flatMap((charge) => {
    const step = chargedStepOf(charge);
    if (step === undefined) return [`a charge with the key ${charge.idempotencyKey ?? '(none)'}, which no row has`];
    const place = `${step.batch}/${step.row}`;
    const row = rows.get(place);
    if (row === undefined) return [`${nameOfStep(step)} was charged, but there is no such row`];
    if (row._outcome === 'unknown') return [];
    const { jobId } = charge;
    const isHeld = jobId === null ? hasFile(row._outcome) : holders.get(jobId) === place || row._text === jobId;
    const holder = jobId === null ? '' : `; row ${holders.get(jobId) ?? '(none)'} has that job`;
    return isHeld
      ? []
      : [`${nameOfStep(step)} was charged (job ${jobId ?? 'none'}), but is ${row._outcome} without it${holder}`];
  });
  return { promise: 'every charge is accounted for by its row', broken };
}

function summed(charges: readonly LedgerEntry[], batches: readonly BatchFiles[]): Finding {
  const rows = rowsByPlace(batches);
  const inDoubt = (row: ResultRow): boolean => row._outcome === 'unknown' || row._credits_kind === 'uncertain';
  const billed = [...rows.values()].filter((row) => !inDoubt(row)).reduce((sum, { _credits }) => sum + _credits, 0);
  const charged = charges
    .filter((charge) => {
      const step = chargedStepOf(charge);
      const row = step === undefined ? undefined : rows.get(`${step.batch}/${step.row}`);
      return row === undefined || !inDoubt(row);
    })
    .reduce((sum, { credits }) => sum + credits, 0);
  const unpriced = [...rows.values()].filter((row) => inDoubt(row) && row._outcome === 'succeeded').length;
  const difference = `billed ${billed.toFixed(3)}, charged ${charged.toFixed(3)}`;
  return {
    promise: 'the sum of _credits is what the API charged, rows in doubt or of uncertain price aside',
    broken: Math.abs(billed - charged) <= NOISE ? [] : [difference],
    seen: `${difference}; ${unpriced} rows that have their result are of uncertain price`,
  };
}

/** Rows by `batch/row`. */
function rowsByPlace(batches: readonly BatchFiles[]): Map<string, ResultRow> {
  return new Map(batches.flatMap(({ name, results }) => results.map((row) => [`${name}/${row._row}`, row] as const)));
}

function repeated(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([name, count]) => `${name}: ${count} times`);
}
