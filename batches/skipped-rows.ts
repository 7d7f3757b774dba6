import { stepsIn } from '../contract/row-kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../ledger/record-types.ts';
import { quoteSteps } from '../policy/pricing.ts';
import { nextMove, rowView, stepsFrom } from '../policy/row-machine.ts';
import type { IsChosen } from '../policy/subset.ts';

/** Rows that a budget left out, and what there is for them now. */
export interface SkippedRoom {
  /** Which of them are asked for. */
  readonly isChosen: IsChosen;
  /** Credits left of the budget; null: it has none. */
  readonly left: number | null;
  /** How many times its quote a request may cost, by what was charged so far. */
  readonly worst: number;
}

/** A row that the budget left out, and the price of what was not sent of it; null: nobody knows it. */
export interface SkippedRow {
  readonly standing: RowStanding;
  readonly quoted: number | null;
}

/**
 * The rows that a budget left out and that fit into what is left, each by itself. Rows with a request whose outcome is not known are not
 * among them: a person decides about those.
 */
export async function* rowsWithRoom(
  ledger: Pick<Ledger, 'scanRows' | 'partsOf'>,
  { name, settings }: Pick<BatchRecord, 'name' | 'settings'>,
  { isChosen, left, worst }: SkippedRoom,
): AsyncGenerator<SkippedRow, undefined> {
  for await (const standing of ledger.scanRows(name, { outcome: 'skipped', isNotChosen: false })) {
    const { row, charges } = standing;
    if (row.failure?.class !== 'OverBudget' || !isChosen(row)) continue;
    if (charges.some(({ state }) => state === 'sending' || state === 'unknown')) continue;
    const quoted = row.parts === null ? quoteLeft(standing, settings) : await quoteParts(ledger, name, row.row);
    if (left === null || (quoted !== null && quoted * worst <= left)) yield { standing, quoted };
  }
}

/** The price of the steps that the row has not sent. */
function quoteLeft({ row, charges }: RowStanding, settings: BatchRecord['settings']): number | null {
  const move = nextMove({ ...rowView(row), ended: false }, charges);
  const steps = move.type === 'submit' ? stepsFrom(row.spec, move.at.step) : stepsIn(row.spec);
  return steps.length === stepsIn(row.spec).length ? row.quoted : quoteSteps(steps, row.spec, settings);
}

async function quoteParts(ledger: Pick<Ledger, 'partsOf'>, batch: string, row: number): Promise<number | null> {
  const parts = await ledger.partsOf(batch, row);
  return parts
    .filter((part) => part.row.outcome === 'skipped')
    .reduce<number | null>((sum, { row: { quoted } }) => (sum === null || quoted === null ? null : sum + quoted), 0);
}
