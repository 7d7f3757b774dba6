import type { BatchSettings } from '../contract/batch.ts';
import { KINDS, operationOf, ROW_KINDS, type Kind } from '../contract/row-kinds.ts';
import type { BillSummary, NamedRows } from '../inputs/bill.ts';
import type { ManifestSummary } from '../inputs/read-manifest.ts';
import { ExitError } from './exit-error.ts';
import { askYesNo } from './terminal/ask.ts';
import type { Output } from './terminal/output.ts';
import { number } from './terminal/progress.ts';
import { oneLine } from './terminal/table.ts';

/** The settings that decide prices. */
type PriceSettings = Pick<BatchSettings, 'prices' | 'tts'>;

/** What is known before a batch is made. Money is in credits. */
export interface SpendFacts {
  readonly rows: number;
  readonly bill: Pick<BillSummary, 'quoted' | 'unpriced' | 'unpricedRows' | 'cheapest' | 'affordable'>;
  /** Part of the bill is estimated. */
  readonly isEstimate: boolean;
  readonly budget: number | null;
  /** What the account has; null if the API does not tell. */
  readonly balance: number | null;
  readonly confirmAbove: number | null;
  /** `--yes`. */
  readonly yes: boolean;
  /** There is a person at a terminal, and nothing else is read from it. */
  readonly canAsk: boolean;
}

/** Whether a batch may be made. `notes` are said in any case; a refusal is exit code 3. */
export type SpendDecision = { readonly notes: readonly string[] } & (
  | { readonly do: 'go' }
  | { readonly do: 'ask'; readonly question: string }
  | { readonly do: 'refuse'; readonly why: string }
);

/** A kind of rows is estimated where a price is our reading rather than the user's own, or a length is assumed. */
export function isEstimated(kind: Kind, { kinds }: Pick<BillSummary, 'kinds'>, settings: PriceSettings): boolean {
  if (kinds[kind].rows === 0) return false;
  const steps = ROW_KINDS[kind].steps;
  const isGuess = steps.some((step) => settings.prices[operationOf(kind, step, settings.tts)].estimate);
  return isGuess || kinds[kind].assumed > 0;
}

/** The facts about a checked manifest. */
export function spendFacts(
  summary: ManifestSummary,
  { settings, confirmAbove }: { readonly settings: BatchSettings; readonly confirmAbove: number | null },
  person: Pick<SpendFacts, 'balance' | 'yes' | 'canAsk'>,
): SpendFacts {
  const isEstimate = KINDS.some((kind) => isEstimated(kind, summary, settings));
  return { rows: summary.rows, bill: summary, isEstimate, budget: settings.budget, confirmAbove, ...person };
}

const UNSPENT = 'Nothing was sent, nothing was spent.';

/**
 * Decides whether a new batch may spend. It is refused where it cannot keep its budget (a row without a price), where budget
 * or balance pay not even one row, and where nobody confirms a bill above the threshold. A budget or a balance below the
 * bill is said and is no reason not to start: what does not fit ends `skipped`; out of credits the batch pauses.
 */
export function decideSpend(facts: SpendFacts): SpendDecision {
  const why = refusal(facts);
  if (why !== undefined) return { do: 'refuse', why, notes: [] };
  const notes = notesOn(facts);
  const { confirmAbove, bill, yes, canAsk } = facts;
  if (confirmAbove === null || (mostSpent(facts) <= confirmAbove && bill.unpriced === 0) || yes) {
    return { do: 'go', notes };
  }
  const sum = `${sumInWords(facts)} for ${rowsInWords(facts.rows)}`;
  if (canAsk) return { do: 'ask', question: `Spend ${sum}?`, notes };
  const asked = `Not confirmed: ${sum} is more than ${number(confirmAbove)} (--confirm), and there is nobody to ask.`;
  return { do: 'refuse', why: `${asked} ${UNSPENT} To go on, run the same command with --yes.`, notes };
}

/** Carries out {@link decideSpend}: says the notes, asks if need be. Throws {@link ExitError} `refused`. */
export async function checkSpend(
  facts: SpendFacts,
  output: Output,
  ask: (question: string) => Promise<boolean> = askYesNo,
): Promise<void> {
  const decision = decideSpend(facts);
  for (const note of decision.notes) output.say(note);
  if (decision.do === 'refuse') throw new ExitError('refused', decision.why);
  if (decision.do === 'ask' && !(await ask(decision.question))) {
    throw new ExitError('refused', `Not confirmed. ${UNSPENT}`);
  }
}

/** `  line 4, id c: its length is not known`, for the first rows, then how many more. */
export function namedRowLines({ first, count }: NamedRows): readonly string[] {
  const lines = first.map(({ line, id, why }) => `  line ${String(line)}, id ${oneLine(id)}: ${why}`);
  return count > first.length ? [...lines, `  and ${number(count - first.length)} more`] : lines;
}

function refusal({ rows, bill, budget, balance, isEstimate }: SpendFacts): string | undefined {
  if (budget !== null && bill.unpriced > 0) {
    return [
      `Under a budget every row needs a price; ${rowsInWords(bill.unpriced)} of ${number(rows)} ${bill.unpriced === 1 ? 'has' : 'have'} none:`,
      ...namedRowLines(bill.unpricedRows),
      `${UNSPENT} Any of these gives them one:`,
      '  a column duration (seconds) in the manifest',
      '  the same command with --probe, which reads the length of the media',
      '  the same command with --assume-seconds N, which takes all of unknown length for so long',
    ].join('\n');
  }
  const { cheapest } = bill;
  if (budget !== null && cheapest !== null && cheapest > budget) {
    return (
      `A budget of ${number(budget)} credits pays no row: the cheapest costs ${number(cheapest)}, all cost ${number(bill.quoted)}. ` +
      `${UNSPENT} Raise it: run the same command with --budget ${String(cheapest)} or more.`
    );
  }
  const least = bill.unpriced > 0 ? 0 : (cheapest ?? 0);
  const paysNothing = balance !== null && (balance < least || (balance <= 0 && (bill.unpriced > 0 || least > 0)));
  if (paysNothing) {
    const needed =
      bill.unpriced > 0 ? '' : `; the cheapest row costs ${number(least)}, all cost ${number(bill.quoted)}`;
    const guess = isEstimate ? ' (Prices are estimates; your own go into voxbatch.config.json.)' : '';
    return `Not enough credits: the account has ${number(balance)} API credits${needed}. ${UNSPENT} Top it up, then run the same command again.${guess}`;
  }
  return undefined;
}

function notesOn(facts: SpendFacts): string[] {
  const { rows, bill, budget, balance } = facts;
  const notes: string[] = [];
  if (budget !== null && bill.affordable !== null && bill.affordable.rows < rows) {
    notes.push(
      `The budget of ${number(budget)} credits pays about ${number(bill.affordable.rows)} of ${rowsInWords(rows)}, which cost ${number(bill.quoted)}; ` +
        'the others end skipped (exit code 12) and can be run later.',
    );
  }
  if (balance !== null && mostSpent(facts) > balance) {
    notes.push(
      `WARNING: this may cost ${sumInWords(facts)}; the account has ${number(balance)} API credits. ` +
        'When they are used up the batch pauses; it goes on once the account is topped up.',
    );
  }
  return notes;
}

/** What the priced rows can cost: a budget bounds it. */
function mostSpent({ bill, budget }: SpendFacts): number {
  return budget === null ? bill.quoted : Math.min(bill.quoted, budget);
}

function sumInWords(facts: SpendFacts): string {
  const { unpriced } = facts.bill;
  const without = unpriced > 0 ? ` and the unknown price of ${rowsInWords(unpriced)}` : '';
  return `${facts.isEstimate ? 'about ' : ''}${number(mostSpent(facts))} credits${without}`;
}

function rowsInWords(rows: number): string {
  return rows === 1 ? '1 row' : `${number(rows)} rows`;
}
