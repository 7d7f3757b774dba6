import { stepsIn, type Step } from '../contract/row-kinds.ts';
import type { BillSummary } from '../inputs/bill.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../ledger/record-types.ts';
import { nextMove, rowView, stepsFrom } from '../policy/row-machine.ts';
import type { IsChosen } from '../policy/subset.ts';
import { quoteSteps } from '../policy/pricing.ts';
import { Reasoner, type ReasonRequest } from './reasoner.ts';

/** What an existing batch still has to pay for. */
export interface RowsLeft {
  /** Rows that need at least one more result. */
  readonly rows: number;
  /** Those of them that earlier runs left out (`--limit`, `--sample`) and this one chooses. */
  readonly newlyChosen: number;
  /** Rows that have not ended, and need nothing more than an answer or a download. */
  readonly underWay: number;
  readonly bill: BillSummary;
}

/**
 * Bills what a batch still has to pay for: the steps of open rows that were not sent, and rows that are chosen now.
 * Changes nothing, spends nothing.
 */
export async function billRowsLeft(
  ledger: Pick<Ledger, 'scanRows' | 'partsOf'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  isChosen: IsChosen,
  request: ReasonRequest,
): Promise<RowsLeft> {
  const reasoner = new Reasoner(request);
  let [rows, newlyChosen, underWay] = [0, 0, 0];
  const add = async ({ row: { parts: _, ...row } }: RowStanding, steps: readonly Step[]): Promise<void> => {
    const isWhole = steps.length === stepsIn(row.spec).length;
    const quoted = isWhole ? row.quoted : quoteSteps(steps, row.spec, batch.settings);
    rows++;
    await reasoner.add({ ...row, quoted, isAssumed: false, steps });
  };
  const addParts = async ({ row: { parts: _, ...row } }: RowStanding, isLeft: IsLeft): Promise<boolean> => {
    const left = (await ledger.partsOf(batch.name, row.row)).filter(isLeft).map((part) => part.row);
    if (left.length === 0) return false;
    rows++;
    await reasoner.add({ ...row, isAssumed: false, steps: stepsIn(row.spec), parts: left });
    return true;
  };
  for await (const standing of ledger.scanRows(batch.name, { isOpen: true })) {
    const steps = stepsLeft(standing);
    const isInParts = standing.row.parts !== null;
    if (isInParts ? !(await addParts(standing, isOpenPart)) : steps.length === 0) underWay++;
    else if (!isInParts) await add(standing, steps);
  }
  for await (const standing of ledger.scanRows(batch.name, { isNotChosen: true })) {
    if (!isChosen(standing.row)) continue;
    newlyChosen++;
    if (standing.row.parts === null) await add(standing, stepsIn(standing.row.spec));
    else await addParts(standing, () => true);
  }
  await reasoner.finish();
  return { rows, newlyChosen, underWay, bill: reasoner.bill.summary() };
}

/** Whether a part of a row is still to be paid for. */
type IsLeft = (part: RowStanding) => boolean;

function isOpenPart(part: RowStanding): boolean {
  return part.row.outcome === null && stepsLeft(part).length > 0;
}

/** The steps of an open row that were not sent yet. */
function stepsLeft({ row, charges }: RowStanding): readonly Step[] {
  const move = nextMove({ ...rowView(row), ended: false }, charges);
  if (move.type === 'ended') return [];
  const steps = stepsFrom(row.spec, move.at.step);
  return move.type === 'submit' ? steps : steps.slice(1);
}
