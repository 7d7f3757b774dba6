import type { BatchSettings } from '../contract/batch.ts';
import type { Outcome } from '../contract/outcomes.ts';
import { operationOf, type RowSpec, type Step } from '../contract/row-kinds.ts';
import { Bill, type BillSummary } from '../inputs/bill.ts';
import type { RedriveChoice } from '../ledger/ledger.ts';
import type { NewRow } from '../ledger/record-types.ts';
import type { ScannedRow } from '../results/result-line.ts';
import { quoteStep } from '../workflows/policy/pricing.ts';
import { paidSteps, planRedrive, type RedrivePlan } from '../workflows/policy/redrive.ts';

/** What a row asks for from now on. */
export interface RowEdit extends Pick<NewRow, 'spec' | 'input' | 'quoted'> {
  /** The first step that reads a cell that was changed; null if none does. */
  readonly from: Step | null;
}

/** A row of a batch that a file has again. `edit` is null if the file has what the batch has. */
export interface FoundRow {
  readonly scanned: ScannedRow;
  readonly edit: RowEdit | null;
}

/** How the chosen rows are to be treated. */
export interface RedriveRules {
  readonly step: Step | null;
  readonly resubmit: boolean;
  /** Replace results that are there. */
  readonly replace: boolean;
  /** Take unfit results as they are. */
  readonly accept: boolean;
  /** Rows that ended `overdue` need a say: `run overdue.csv` could mean either. */
  readonly asksForOverdue: boolean;
}

/** A row that is not touched, and why. */
export interface RefusedRow {
  readonly row: number;
  readonly id: string;
  readonly why: Extract<RedrivePlan, { do: 'refuse' }>['why'];
  readonly step: Step;
}

/** What a redrive will do, put together row by row. Nothing is changed by it. */
export class RedriveDraft {
  readonly choices: RedriveChoice[] = [];
  readonly refused: RefusedRow[] = [];
  /** Rows that are paid for again, by the first step that is. */
  readonly pays = new Map<Step, number>();
  /** Rows whose job is waited for again. */
  waits = 0;
  /** Of these, rows with edits that no step reads: they would be lost, for only a new take has its own input. */
  untaken = 0;
  /** Rows whose unfit result is taken as it is. */
  accepts = 0;
  /** Of these, rows that have steps to come and are open again. */
  opened = 0;
  readonly left = { open: 0, 'has-result': 0, 'no-unfit': 0 };
  /** Results that are there and will be replaced. */
  replaced = 0;
  /** Rows that may be charged a second time for one result. */
  resubmitted = 0;
  /** Rows that will cost something. */
  paying = 0;
  /** Part of the bill is estimated. */
  isEstimate = false;

  readonly #settings: BatchSettings;
  readonly #rules: RedriveRules;
  readonly #bill: Bill;

  /** `budget`: what is left of the batch's; null if it has none. */
  constructor(settings: BatchSettings, rules: RedriveRules, budget: number | null) {
    this.#settings = settings;
    this.#rules = rules;
    this.#bill = new Bill(budget);
  }

  /** What the chosen rows will cost, in credits. */
  get bill(): BillSummary {
    return this.#bill.summary();
  }

  /** True if all of it is done as soon as it is on record: nothing is sent, and nobody has to work on the batch. */
  get isSettling(): boolean {
    return this.choices.length > 0 && this.choices.length === this.accepts - this.opened;
  }

  add({ row, charges }: ScannedRow, edit: RowEdit | null = null): void {
    const { row: number, id, take, outcome } = row;
    if (outcome === null) {
      this.left.open++;
      return;
    }
    const { asksForOverdue, ...rules } = this.#rules;
    const wish = { ...rules, edited: edit === null ? null : { from: edit.from } };
    const plan = planRedrive(row, charges, wish);
    switch (plan.do) {
      case 'leave':
        this.left[plan.why]++;
        return;
      case 'refuse':
        this.refused.push({ row: number, id, why: plan.why, step: plan.step });
        return;
      case 'wait':
        if (asksForOverdue && outcome === 'overdue') {
          this.refused.push({ row: number, id, why: 'running', step: plan.step });
          return;
        }
        this.waits++;
        if (edit !== null) this.untaken++;
        this.choices.push({ row: number, take, outcome, how: { do: 'wait' } });
        break;
      case 'accept':
        this.accepts++;
        if (paidSteps(row.kind, plan).length > 0) this.opened++;
        this.choices.push({ row: number, take, outcome, how: { do: 'accept' } });
        break;
      case 'pay': {
        this.pays.set(plan.fromStep, (this.pays.get(plan.fromStep) ?? 0) + 1);
        if (hasResult(outcome)) this.replaced++;
        // A job whose result could not be fetched was paid, too.
        if (plan.reason === 'resubmitted' || row.failure?.class === 'ResultGone') this.resubmitted++;
        const edited = edit === null ? {} : { edited: { spec: edit.spec, input: edit.input, quoted: edit.quoted } };
        this.choices.push({ row: number, take, outcome, how: { ...plan, ...edited } });
      }
    }
    this.#price(row, edit?.spec ?? row.spec, plan);
  }

  #price(row: ScannedRow['row'], spec: RowSpec, plan: RedrivePlan): void {
    const { tts, prices } = this.#settings;
    const operations = paidSteps(row.kind, plan).map((step) => operationOf(row.kind, step, tts));
    if (operations.length === 0) return;
    this.paying++;
    if (operations.some((operation) => prices[operation].estimate)) this.isEstimate = true;
    const quotes = operations.map((operation) => quoteStep(operation, spec, prices));
    const quoted = quotes.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0);
    this.#bill.add({ line: row.line, id: row.id, spec, quoted, isAssumed: false });
  }
}

function hasResult(outcome: Outcome): boolean {
  return outcome === 'succeeded' || outcome === 'cached';
}
