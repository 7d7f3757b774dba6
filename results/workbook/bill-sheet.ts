import { OUTCOMES } from '../../contract/outcomes.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { ResultFields } from '../result-line.ts';
import type { Summary } from '../summary.ts';
import type { SheetCell } from './sheet-xml.ts';

export const BILL_COLUMNS = ['what', 'kind', 'rows', 'credits'];

/** Adds up rows and credits by kind and outcome. */
export class CreditSums {
  readonly #sums = new Map<string, { rows: number; credits: number }>();

  /** Always true: every row counts. */
  add({ _kind: kind, _outcome: outcome, _credits: credits }: ResultFields): boolean {
    const key = `${outcome} ${kind}`;
    const sum = this.#sums.get(key) ?? { rows: 0, credits: 0 };
    this.#sums.set(key, { rows: sum.rows + 1, credits: sum.credits + credits });
    return true;
  }

  /** In the order of outcomes; rows that have not ended come last. */
  *lines(): Generator<readonly SheetCell[]> {
    for (const outcome of [...OUTCOMES, '']) {
      for (const [key, { rows, credits }] of [...this.#sums].toSorted()) {
        const [name = '', kind = ''] = key.split(' ');
        if (name === outcome) yield [outcome === '' ? 'not finished' : outcome, kind, rows, roundCredits(credits)];
      }
    }
  }
}

/**
 * The bill: rows and credits by kind and outcome, then the sums and facts of the summary. The sums are read when the rows of
 * the bill are, after those of the results.
 */
export function* billRows(summary: Summary, sums: CreditSums): Generator<readonly SheetCell[]> {
  const { credits, budget } = summary;
  yield* sums.lines();
  yield ['charged', '', summary.rows, credits.charged];
  const fact = (what: string, value: SheetCell): readonly SheetCell[] => [what, '', null, value];
  yield fact('reserved: in flight, or for later steps', credits.reserved);
  yield fact('uncertain: may have been charged', credits.uncertain);
  yield fact('saved by earlier results', credits.saved);
  yield fact('budget', budget);
  yield fact('some figures are estimates', credits.estimated ? 'yes' : 'no');
  yield fact('batch', summary.batch);
  yield fact('manifest', summary.manifest);
  yield fact('API', summary.api);
  yield fact('account', summary.account);
  yield fact('first request', summary.started_at);
  yield fact('last row ended', summary.ended_at);
}
