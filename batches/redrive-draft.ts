import type { BatchSettings } from '../contract/batch.ts';
import { hasResult, OUTCOMES } from '../contract/outcomes.ts';
import { operationOf, type RowSpec, type Step } from '../contract/row-kinds.ts';
import { Bill, type BillSummary } from '../inputs/bill.ts';
import type { RedriveChoice } from '../ledger/row-methods.ts';
import type { NewRow, RowStanding } from '../ledger/record-types.ts';
import { quoteStep } from '../policy/pricing.ts';
import { RowNumbers } from './row-numbers.ts';
import { paidSteps, planRedrive, type RedrivePlan } from '../policy/redrive.ts';

/** What a row asks for from now on. */
export interface RowEdit extends Pick<NewRow, 'spec' | 'input' | 'quoted'> {
  /** The first step that reads a cell that was changed; null if none does. */
  readonly from: Step | null;
}

/** A row of a batch that a file has again. `edit` is null if the file has what the batch has. */
export interface FoundRow {
  readonly scanned: RowStanding;
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
  readonly why: Extract<RedrivePlan, { type: 'refuse' }>['why'];
  readonly step: Step;
}

/** The rows that a redrive is about. Each reading of them begins anew, for they are read once to tell what is meant and once to do it. */
export type FoundRows = AsyncIterable<FoundRow>;

/** Refused rows that are kept; the others are counted. */
const KEPT_REFUSED = 1_000;

/**
 * What a redrive will do, put together row by row. Nothing is changed by it. Of the rows it keeps only how they stood, in a few bytes each: what
 * is done with a row is worked out again when its turn comes, and not at all if it stands otherwise by then.
 */
export class RedriveDraft {
  /** Rows for which something is done. */
  count = 0;
  /** The first of the rows that are not touched. */
  readonly refused: RefusedRow[] = [];
  /** How many are not touched, by reason. */
  readonly refusedFor = new Map<RefusedRow['why'], number>();
  /** Rows that are paid for again, by the first step that is. */
  readonly pays = new Map<Step, number>();
  /** Rows whose job is waited for again. */
  waits = 0;
  /** Of these, rows with edits that no step reads: they would be lost, for only a new take has its own input. */
  untaken = 0;
  /** Edited rows that are left as they are: their edits are in the file alone. */
  leftEdited = 0;
  /** Rows whose unfit result is taken as it is. */
  accepts = 0;
  /** Of these, rows that have steps to come and are open again. */
  opened = 0;
  readonly left = { open: 0, 'has-result': 0, 'no-unfit': 0 };
  /** Results that are there and will be replaced. */
  replaced = 0;
  /** Of these, rows that `--limit` or `--sample` left out. */
  notChosen = 0;
  /** Rows that may be charged a second time for one result. */
  resubmitted = 0;
  /** Rows that will cost something. */
  paying = 0;
  /** Part of the bill is estimated. */
  isEstimate = false;

  readonly #settings: BatchSettings;
  readonly #rules: RedriveRules;
  readonly #bill: Bill;
  /** How each chosen row stood: its take and outcome. */
  readonly #chosen = new RowNumbers();

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
    return this.count > 0 && this.count === this.accepts - this.opened;
  }

  /** Takes in all rows. */
  async addAll(rows: FoundRows): Promise<void> {
    for await (const found of rows) this.add(found);
  }

  add(found: FoundRow): void {
    const { scanned, edit } = found;
    const { row } = scanned;
    const { row: number, id, outcome } = row;
    if (outcome === null) {
      this.left.open++;
      if (edit !== null) this.leftEdited++;
      return;
    }
    const plan = this.#plan(found);
    switch (plan.type) {
      case 'leave':
        this.left[plan.why]++;
        if (edit !== null) this.leftEdited++;
        return;
      case 'refuse':
        this.#refuse({ row: number, id, why: plan.why, step: plan.step });
        return;
      case 'wait':
        if (this.#rules.asksForOverdue && outcome === 'overdue') {
          this.#refuse({ row: number, id, why: 'running', step: plan.step });
          return;
        }
        this.waits++;
        if (edit !== null) this.untaken++;
        break;
      case 'accept':
        this.accepts++;
        if (paidSteps(row.kind, plan).length > 0) this.opened++;
        break;
      case 'pay': {
        this.pays.set(plan.fromStep, (this.pays.get(plan.fromStep) ?? 0) + 1);
        if (hasResult(outcome)) this.replaced++;
        if (row.failure?.class === 'NotChosen') this.notChosen++;
        // A job whose result could not be fetched was paid, too.
        if (plan.reason === 'resubmitted' || row.failure?.class === 'ResultGone') this.resubmitted++;
      }
    }
    this.count++;
    this.#chosen.set(number, standingOf(row));
    this.#price(row, edit?.spec ?? row.spec, plan);
  }

  /** What is done with a row that was taken in; undefined for one that is not touched, or stands otherwise by now. */
  choiceOf(found: FoundRow): RedriveChoice | undefined {
    const { scanned, edit } = found;
    const { row: number, take, outcome } = scanned.row;
    if (outcome === null || this.#chosen.get(number) !== standingOf(scanned.row)) return undefined;
    const plan = this.#plan(found);
    if (plan.type === 'leave' || plan.type === 'refuse') return undefined;
    if (plan.type !== 'pay') return { row: number, take, outcome, how: { type: plan.type } };
    const edited = edit === null ? {} : { edited: { spec: edit.spec, input: edit.input, quoted: edit.quoted } };
    return { row: number, take, outcome, how: { ...plan, ...edited } };
  }

  #plan({ scanned, edit }: FoundRow): RedrivePlan {
    const { step, resubmit, replace, accept } = this.#rules;
    const edited = edit === null ? null : { from: edit.from };
    return planRedrive(scanned.row, scanned.charges, { step, resubmit, replace, accept, edited });
  }

  #refuse(row: RefusedRow): void {
    this.refusedFor.set(row.why, (this.refusedFor.get(row.why) ?? 0) + 1);
    if (this.refused.length < KEPT_REFUSED) this.refused.push(row);
  }

  #price(row: RowStanding['row'], spec: RowSpec, plan: RedrivePlan): void {
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

/** What a redrive will do and cost, by numbers of rows. Nothing of it has happened. */
export type RedriveForecast = Readonly<
  Pick<
    RedriveDraft,
    | 'count'
    | 'pays'
    | 'waits'
    | 'untaken'
    | 'accepts'
    | 'left'
    | 'replaced'
    | 'notChosen'
    | 'resubmitted'
    | 'paying'
    | 'isEstimate'
    | 'bill'
    | 'refused'
    | 'refusedFor'
  >
>;

/** Take and outcome in a number above 0. */
function standingOf({ take, outcome }: RowStanding['row']): number {
  return take * 16 + (outcome === null ? 0 : OUTCOMES.indexOf(outcome) + 1);
}
