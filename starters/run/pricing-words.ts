import type { BillEvent } from '../../client/run/price.ts';
import type { MoreFacts, RecordEvent } from '../../client/run/record-batch.ts';
import type { ExitError } from '../exit-error.ts';
import { inCredits } from '../terminal/money.ts';
import { number, rowsInWords } from '../terminal/words.ts';
import { lostLines, reasonLines } from '../terminal/reason-words.ts';
import {
  leftBudgetRefusal,
  notProbedLines,
  priceText,
  probingText,
  type RefusalFacts,
  spendError,
  type SpendRefused,
} from '../terminal/spend-words.ts';
import { oneLine } from '../terminal/table.ts';
import { warningLines } from './report-problems.ts';

/** Returns the lines to print for an event of pricing. `isLog`: for a log, which must not have texts of rows. */
export function pricingLines(event: BillEvent, isLog = false): readonly string[] {
  switch (event.type) {
    case 'probing':
      return [probingText(event.rows)];
    case 'probed':
      return notProbedLines(event.notProbed, event.assumeSeconds);
    case 'voices':
      return warningLines(event.warnings);
    case 'identifying':
      // Only `plan` prints this, by IDENTIFYING.
      return [];
    case 'unasked':
      return [unaskedText(event.hosts)];
    case 'priced': {
      const { facts, reasons, cache } = event;
      // The reasons quote cells of rows.
      const lines = isLog ? [] : reasonLines(reasons, cache, facts.isEstimate);
      return cache === 'fresh' ? [...lines, priceText(facts)] : lines;
    }
  }
}

/** Printed by `plan` before it asks the hosts of media what their files are. */
export const IDENTIFYING =
  'Asks the servers of the media what each file is (one byte, no token), because a result of the same file is free. ' +
  'With --cache fresh or --cache off nothing is asked.';

/** Hosts that are listed. */
const MAX_HOSTS = 5;

function unaskedText(hosts: readonly string[]): string {
  const more = hosts.length > MAX_HOSTS ? ` and ${number(hosts.length - MAX_HOSTS)} more` : '';
  return (
    `warning: Media on ${hosts.slice(0, MAX_HOSTS).map(oneLine).join(', ')}${more} are in a private network as this machine sees it, where a manifest must not lead. ` +
    'So it is not known what they are, and rows with them are not found in the cache: a result that is there already is paid for again.'
  );
}

/**
 * Returns the price of rows that earlier runs of the batch left out and this run adds, and which of them may be charged
 * a second time.
 */
export function moreLines({ more }: Extract<RecordEvent, { readonly type: 'more' }>): readonly string[] {
  const { rows, dependents, bill, quoted, isEstimate } = more;
  const unknown = bill.unpriced > 0 ? ` and the unknown price of ${rowsInWords(bill.unpriced)}` : '';
  const cost = `${isEstimate ? '~' : ''}${inCredits(bill.quoted)}${unknown}`;
  const basis = bill.quoted === quoted ? '' : ` at the prices charged so far (${number(quoted)} as quoted)`;
  const waiting = dependents === 0 ? '' : `, and ${rowsInWords(dependents)} that wait for their voices`;
  return [
    `${rowsInWords(rows)} more to send${waiting}, at a cost of ${cost}${basis}.`,
    ...lostLines(more.reasons, more.cache),
  ];
}

/**
 * Returns the error for a refused or declined bill, of a new batch or of more rows of a recorded one. `givesBudget`:
 * whether the command sets a budget.
 */
export function billError(refused: SpendRefused, givesBudget: boolean): ExitError {
  const { facts } = refused;
  return isOfBatch(facts) ? spendError(refused, leftBudgetRefusal(facts.batch, givesBudget)) : spendError(refused);
}

function isOfBatch(facts: RefusalFacts): facts is MoreFacts {
  return 'batch' in facts;
}
