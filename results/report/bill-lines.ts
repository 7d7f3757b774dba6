import { wasAccepted } from '../../contract/outcomes.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { BillLine, ReportHead } from '../../contract/report.ts';
import { STEPS } from '../../contract/row-kinds.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import { wasMade } from '../result-line.ts';
import { Distribution } from './distribution.ts';

type Sums = { -readonly [Name in Exclude<keyof BillLine, 'step'>]: number } & { readonly times: Distribution };

/** Adds up what requests were quoted and charged, and how long their jobs took, by step. `view` returns the sums. */
export class BillLines {
  readonly #steps = new Map<string, Sums>();
  #sent = 0;
  #repeated = 0;

  add(charge: ChargeRecord): void {
    if (wasMade(charge.state)) {
      this.#sent += 1;
      if (charge.attempt > 1) this.#repeated += 1;
    }
    if (!wasAccepted(charge.state)) return;
    const { step, quoted, charged, chargedFrom, intentAt, finishedAt } = charge;
    let sums = this.#steps.get(step);
    if (sums === undefined) {
      sums = { requests: 0, quoted: 0, charged: 0, unquoted: 0, estimated: 0, times: new Distribution() };
      this.#steps.set(step, sums);
    }
    sums.requests += 1;
    if (charged !== null && quoted === null) sums.unquoted += charged;
    if (charged !== null && quoted !== null) {
      sums.charged += charged;
      sums.quoted += quoted;
    }
    if (chargedFrom === 'quote') sums.estimated += 1;
    if (finishedAt !== null) sums.times.add((finishedAt - intentAt) / 1_000);
  }

  view(): Pick<ReportHead, 'bill' | 'jobTimes' | 'requests'> {
    const steps = [...this.#steps].sort(([one], [other]) => placeOf(one) - placeOf(other));
    return {
      bill: steps.map(([step, { requests, quoted, charged, unquoted, estimated }]) => ({
        step,
        requests,
        estimated,
        quoted: roundCredits(quoted),
        charged: roundCredits(charged),
        unquoted: roundCredits(unquoted),
      })),
      jobTimes: steps.flatMap(([step, { times }]) => {
        const seconds = times.view();
        return seconds === null ? [] : [{ step, seconds }];
      }),
      requests: { sent: this.#sent, repeated: this.#repeated },
    };
  }
}

function placeOf(step: string): number {
  const place = (STEPS as readonly string[]).indexOf(step);
  return place < 0 ? STEPS.length : place;
}
