import { OUTCOMES, ROW_STATES, wasAccepted } from '../contract/outcomes.ts';
import type { Outcome, RowState } from '../contract/outcomes.ts';
import type { Money } from '../ledger/batches/counts.ts';
import type { ResultSource } from '../ledger/requests/charge-records.ts';
import type { Charged } from './result-line.ts';
import { roundCredits } from '../contract/price-units.ts';

/** The part of a charge that goes into the sums. */
export interface Billed extends Charged {
  readonly quoted: number | null;
  readonly source: { readonly is: ResultSource['is'] } | null;
}

/** Counts rows and adds up credits by the ledger's rules, but from the lines written to the files. */
export class Tally {
  readonly outcomes: Record<Outcome, number> = zeros(OUTCOMES);
  readonly states: Record<RowState, number> = zeros(ROW_STATES);
  /** Of the skipped rows, those that `--limit` or `--sample` left out. */
  notChosen = 0;
  rows = 0;
  readonly #sums = { charged: 0, reserved: 0, uncertain: 0, estimated: false, saved: 0, damaged: 0 };

  /** Counts a row. `failure`: its class, if any. `state`: of a row without an outcome; omit it if unknown. */
  addRow(outcome: Outcome | null, failure: string | undefined, state?: RowState): void {
    this.rows += 1;
    if (outcome === 'skipped' && failure === 'NotChosen') this.notChosen += 1;
    if (outcome !== null) this.outcomes[outcome] += 1;
    else if (state !== undefined) this.states[state] += 1;
  }

  addCharge(charge: Billed): void {
    const sums = this.#sums;
    sums.charged += charge.charged ?? 0;
    if (charge.state === 'sending') sums.reserved += charge.quoted ?? 0;
    if (charge.state === 'unknown') sums.uncertain += charge.quoted ?? 0;
    if (charge.state === 'cached') sums.saved += charge.quoted ?? 0;
    else if (charge.state !== 'revoked' && charge.source !== null && charge.source.is !== 'used') sums.damaged += 1;
    const isOpen = charge.state === 'sending' || charge.state === 'unknown';
    sums.estimated ||= isOpen || (wasAccepted(charge.state) && charge.chargedFrom !== 'api');
  }

  /** The sums, in credits. */
  get credits(): Money {
    const sums = this.#sums;
    const rounded = { charged: roundCredits(sums.charged), reserved: roundCredits(sums.reserved) };
    return { ...sums, ...rounded, uncertain: roundCredits(sums.uncertain), saved: roundCredits(sums.saved) };
  }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
