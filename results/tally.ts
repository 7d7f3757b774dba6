import { OUTCOMES, ROW_STATES, wasAccepted } from '../contract/outcomes.ts';
import type { Outcome, RowState } from '../contract/outcomes.ts';
import type { ResultSource } from '../ledger/record-types.ts';
import type { Charged } from './result-line.ts';
import { roundCredits } from '../contract/price-units.ts';

/** The part of a charge that goes into the sums. */
export interface Billed extends Charged {
  readonly quoted: number | null;
  readonly source: { readonly is: ResultSource['is'] } | null;
}

/** Sums in credits, as in the ledger's `Money`. */
export interface Credits {
  readonly charged: number;
  readonly reserved: number;
  readonly uncertain: number;
  readonly estimated: boolean;
  readonly saved: number;
  /** A count, not credits. */
  readonly damaged: number;
}

/** Counts rows and adds up money by the same rules as the ledger, but from the files. */
export class Tally {
  readonly outcomes: Record<Outcome, number> = zeros(OUTCOMES);
  readonly states: Record<RowState, number> = zeros(ROW_STATES);
  /** Of the skipped rows, those that `--limit` or `--sample` left out. */
  notChosen = 0;
  rows = 0;
  #charged = 0;
  #reserved = 0;
  #uncertain = 0;
  #estimated = false;
  #saved = 0;
  #damaged = 0;

  /** Counts a row. The state matters only without an outcome; omit it if unknown. `failure`: its class, if any. */
  addRow(outcome: Outcome | null, failure: string | undefined, state?: RowState): void {
    this.rows += 1;
    if (outcome === 'skipped' && failure === 'NotChosen') this.notChosen += 1;
    if (outcome !== null) this.outcomes[outcome] += 1;
    else if (state !== undefined) this.states[state] += 1;
  }

  addCharge(charge: Billed): void {
    this.#charged += charge.charged ?? 0;
    if (charge.state === 'sending') this.#reserved += charge.quoted ?? 0;
    if (charge.state === 'unknown') this.#uncertain += charge.quoted ?? 0;
    if (charge.state === 'cached') this.#saved += charge.quoted ?? 0;
    else if (charge.state !== 'revoked' && charge.source !== null && charge.source.is !== 'used') this.#damaged += 1;
    const isOpen = charge.state === 'sending' || charge.state === 'unknown';
    this.#estimated ||= isOpen || (wasAccepted(charge.state) && charge.chargedFrom !== 'api');
  }

  get credits(): Credits {
    return {
      charged: roundCredits(this.#charged),
      reserved: roundCredits(this.#reserved),
      uncertain: roundCredits(this.#uncertain),
      estimated: this.#estimated,
      saved: roundCredits(this.#saved),
      damaged: this.#damaged,
    };
  }
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
