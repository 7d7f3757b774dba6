import { inCredits } from './money.ts';
import { type NamedRows, maxSpend, type SpendFacts, type SpendNote, type SpendRefusal } from '../../contract/spend.ts';
import { number, rowsInWords } from './words.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { oneLine } from './table.ts';
import type { NotApproved } from '../../client/person.ts';
import { ExitError } from '../exit-error.ts';

/**
 * Texts about a bill before it is paid: notes, questions, and why it is refused.
 */

/**
 * The facts of a bill for a note. `isBudgetLeft`: `budget` is what earlier rows have left of it. Default: it is the
 * whole budget.
 */
type NoteFacts = SpendFacts & { readonly isBudgetLeft?: boolean };

/** The facts of a bill for a refusal, with the rows that have no price. */
export type RefusalFacts = NoteFacts & {
  readonly bill: { readonly unpricedRows: NamedRows };
  /** The budget that would pay for all rows. Default: the price of the bill. */
  readonly budgetNeeded?: number;
};

/** Ends every refusal before the first request. */
export const UNSPENT = 'Nothing was sent. Nothing was spent.';

/** Returns why nothing may be spent, and what the user can change. */
export function refusalText(why: SpendRefusal, facts: RefusalFacts): string {
  switch (why) {
    case 'unpriced':
      return unpricedText(facts);
    case 'small-budget':
      return smallBudgetText(facts);
    case 'small-balance':
      return smallBalanceText(facts);
    case 'unconfirmed': {
      const reason = `Not confirmed: ${sumInWords(facts)} is more than ${number(facts.confirmAbove ?? 0)} (--confirm), and there is no terminal to ask on.`;
      return `${reason} ${UNSPENT} To continue, run the same command with --yes.`;
    }
  }
}

/** Returns the question whether to spend the bill. */
export function questionText(facts: SpendFacts): string {
  return `Spend ${sumInWords(facts)}?`;
}

/** Returns the price, printed before it is paid. */
export function priceText(facts: SpendFacts): string {
  return `This costs ${sumInWords(facts)}.`;
}

/** Returns a warning about a bill that may be paid all the same. */
export function noteText(note: SpendNote, facts: NoteFacts): string {
  const { rows, bill, budget, balance, isBudgetLeft = false } = facts;
  const sum = inCredits(budget ?? 0);
  return note === 'budget-pays-part'
    ? `${isBudgetLeft ? `What is left of the budget, ${sum},` : `The budget of ${sum}`} pays for about ${number(bill.affordable?.rows ?? 0)} of ${rowsInWords(rows)}, which cost ${number(bill.quoted)}; ` +
        'the others end skipped (exit code 12); you can run them later.'
    : `WARNING: this may cost ${creditsInWords(facts)}; the account has ${number(balance ?? 0)} API credits. ` +
        'When they run out, the batch pauses until you top up.';
}

/** Lists the first rows, such as `  line 4, id c: unknown length`, and how many more there are. */
export function namedRowLines({ first, count }: NamedRows): readonly string[] {
  const lines = first.map(({ line, id, why }) => `  line ${String(line)}, id ${oneLine(id)}: ${why}`);
  return count > first.length ? [...lines, `  and ${number(count - first.length)} more`] : lines;
}

/** Printed while the length of media is read. */
export function probingText(rows: number): string {
  return `Reading the length of the media of ${rowsInWords(rows)} (free) …`;
}

/**
 * Lists the rows whose media could not be read, and how they are priced. `assumeSeconds`: `--assume-seconds`, if given.
 */
export function notProbedLines(notProbed: NamedRows, assumeSeconds: number | undefined): readonly string[] {
  if (notProbed.count === 0) return [];
  const then =
    assumeSeconds === undefined
      ? 'these rows have no price'
      : `they are priced at ${String(assumeSeconds)} s (--assume-seconds)`;
  return [`The length could not be read for ${rowsInWords(notProbed.count)}; ${then}:`, ...namedRowLines(notProbed)];
}

function unpricedText({ rows, bill }: RefusalFacts): string {
  return [
    `A budget needs a price for every row; ${rowsInWords(bill.unpriced)} of ${number(rows)} ${bill.unpriced === 1 ? 'has' : 'have'} none:`,
    ...namedRowLines(bill.unpricedRows),
    `${UNSPENT} Give them one with any of:`,
    '  a duration column (seconds) in the manifest',
    '  --probe, which reads the length of the media',
    '  --assume-seconds N, which prices media of unknown length at N seconds',
  ].join('\n');
}

function smallBudgetText({ bill, budget }: SpendFacts): string {
  const cheapest = bill.cheapest ?? 0;
  return (
    `A budget of ${inCredits(budget ?? 0)} is too small for any row: the cheapest costs ${number(cheapest)}, all cost ${number(bill.quoted)}. ` +
    `${UNSPENT} Raise it: run the same command with --budget ${String(cheapest)} or more.`
  );
}

function smallBalanceText({ bill, balance, isEstimate }: SpendFacts): string {
  const needed =
    bill.unpriced > 0 ? '' : `; the cheapest row costs ${number(bill.cheapest ?? 0)}, all cost ${number(bill.quoted)}`;
  const guess = isEstimate ? ' (Prices are estimates; set your own in voxbatch.config.json.)' : '';
  return `Not enough credits: the account has ${number(balance ?? 0)} API credits${needed}. ${UNSPENT} Top it up, then run the same command again.${guess}`;
}

function sumInWords(facts: SpendFacts): string {
  return `${creditsInWords(facts)} for ${rowsInWords(facts.rows)}`;
}

function creditsInWords(facts: SpendFacts): string {
  const { unpriced } = facts.bill;
  const without = unpriced > 0 ? ` and the unknown price of ${rowsInWords(unpriced)}` : '';
  return `${facts.isEstimate ? 'about ' : ''}${inCredits(maxSpend(facts))}${without}`;
}

/** A bill that was refused, or that the user has declined. */
export type SpendRefused = NotApproved<RefusalFacts>;
type Why = Extract<SpendRefused, { readonly type: 'refused' }>['why'];

/** Returns why rows may not be paid for, and what the user can do. */
export type RefusalWords = (why: Why, facts: RefusalFacts) => string;

/** Returns the error for a refused or declined bill. */
export function spendError(refused: SpendRefused, refusal: RefusalWords = refusalText): ExitError {
  return new ExitError(
    'refused',
    refused.type === 'declined' ? `Not confirmed. ${UNSPENT}` : refusal(refused.why, refused.facts),
  );
}

/**
 * Returns the refusal texts for more rows of an existing batch, whose budget `tune` can raise. `isGiven`: the command
 * sets a budget itself, which would override that, so its flag must be raised.
 */
export function leftBudgetRefusal(batch: string, isGiven: boolean): RefusalWords {
  const tune = `voxbatch tune ${shellWord(batch)} --budget`;
  return (why, facts) => {
    const { unpriced, unpricedRows, cheapest, quoted } = facts.bill;
    const left = facts.budget ?? 0;
    switch (why) {
      case 'unpriced':
        return [
          `A budget needs a price for every row; ${rowsInWords(unpriced)} have none:`,
          ...namedRowLines(unpricedRows),
          'Nothing was changed. Nothing was spent. Give them one, or drop the budget:',
          '  a duration in seconds in an edited file (redrive --from)',
          `  no budget: ${tune} none`,
        ].join('\n');
      case 'small-budget':
        return (
          `The budget of the batch has ${inCredits(left)} left, too little for any row: the cheapest costs ${number(cheapest ?? 0)}, all cost ${number(quoted)}. ` +
          `Nothing was changed. Nothing was spent. ${isGiven ? 'Run the same command with --budget' : `Raise it, then run the same command again: ${tune}`} ${String(facts.budgetNeeded ?? quoted)}`
        );
      default:
        return refusalText(why, facts);
    }
  };
}
