import { expect } from '@jest/globals';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import type { LoadedRow } from '../../../ledger/rows/row-records.ts';
import { answer, ask, finish, OVERDUE, settle, WAITING } from '../actions.ts';
import { money, rowOf } from '../readings.ts';
import { aBatch, aKey, aRow, ledger, load, upTo } from '../setup.ts';

/** A row's quote; with that of its later steps, if it has any. A number of rows: each is quoted at 10. */
type Quotes = number | readonly (number | null | readonly [number, number])[];

interface Budgeted {
  readonly name?: string;
  /** The prices are estimates, not stated by the user. Default false. */
  readonly isEstimate?: boolean;
  /** The rows that speak at once, by another operation. */
  readonly legacy?: readonly number[];
}

/**
 * Makes a batch of such rows under a budget, and has this happen to it: steps with commas between them. `1-3 go`: these requests are
 * asked for, and the answer is `go` (`short`, `over-budget`, `blocked`). `answered at 2`: a job is made of each, for so much; `accepted
 * at 2`: it goes before that. `ended at 2`, `done at 2`, `unknown`, `overdue`, `refused` (for now), `rejected`: what comes of it.
 * `skipped`, `open`: how the row stands. `charged 2`, `reserved 2`: what the batch has cost; `about`: with estimates in it. `budget 2`:
 * the budget is changed.
 */
export async function underBudget(
  budget: number | null,
  quotes: Quotes,
  steps: string,
  { name = 'b', isEstimate = false, legacy = [] }: Budgeted = {},
): Promise<void> {
  const all = typeof quotes === 'number' ? upTo(quotes).map(() => 10) : quotes;
  const rows = all.map((quote, index): LoadedRow => {
    const row = aRow(index + 1);
    const quoted = typeof quote === 'object' && quote !== null ? quote[0] + quote[1] : quote;
    return { ...row, quoted, spec: { ...row.spec, ...(legacy.includes(row.row) ? { dialect: 'legacy' } : {}) } };
  });
  const prices = isEstimate ? BUILT_IN_PRICES : aBatch().settings.prices;
  await load(rows, { name, settings: { prices, budget } });
  const attempts = new Map<number, number>();
  for (const step of steps.split(', ')) {
    const [, from, to, what = '', figure] =
      /^(?:(\d+)(?:-(\d+))? )?([a-z-]+(?: about)?)(?: at)?(?: ([\d.]+))?$/.exec(step) ?? [];
    const credits = figure === undefined ? {} : { credits: Number(figure) };
    for (const row of from === undefined ? [0] : upTo(Number(to ?? from)).slice(Number(from) - 1)) {
      const quote = all[row - 1] ?? null;
      const [quoted, quotedRest] = typeof quote === 'object' && quote !== null ? quote : [quote, 0];
      const key = { ...aKey(row, attempts.get(row) ?? 1), batch: name };
      const intent = { quoted, quotedRest, maxSending: 256 };
      switch (what) {
        case 'go':
        case 'short':
        case 'over-budget':
        case 'blocked':
          expect({ step, row, is: await ask(key, intent) }).toEqual({ step, row, is: what });
          break;
        case 'accepted':
          expect({ step, row, is: await ask(key, intent) }).toEqual({ step, row, is: 'go' });
          await answer(key, credits);
          break;
        case 'answered':
          await answer(key, credits);
          break;
        case 'ended':
          await finish(key, credits);
          break;
        case 'done':
          await settle(key, { verdict: 'done', ...credits }, { outcome: 'succeeded' });
          break;
        case 'unknown':
          await settle(key, { verdict: 'unknown' }, { outcome: 'unknown' });
          break;
        case 'overdue':
          await ledger.changeRunning(key, OVERDUE);
          break;
        case 'refused':
          await settle(key, { verdict: 'not-accepted' }, WAITING);
          attempts.set(row, key.attempt + 1);
          break;
        case 'rejected':
          await settle(key, { verdict: 'rejected' }, { outcome: 'failed' });
          break;
        case 'skipped':
        case 'open':
          expect({ step, row, is: (await rowOf(row, name)).outcome ?? 'open' }).toEqual({ step, row, is: what });
          break;
        case 'charged':
        case 'charged about':
          expect(await money(name)).toMatchObject({ charged: Number(figure), estimated: what !== 'charged' });
          break;
        case 'reserved':
          expect(await money(name)).toMatchObject({ reserved: Number(figure) });
          break;
        case 'budget':
          await ledger.tune(name, { budget: Number(figure) });
          break;
        default:
          throw new Error(`no step of a budget: ${step}`);
      }
    }
  }
}
