import type { BatchSettings } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import { hasResult, OUTCOMES } from '../../contract/outcomes.ts';
import { operationOf, priceIn, type RowSpec, type Step, stepsIn } from '../../contract/row-kinds.ts';
import { Bill, type BillSummary } from '../../inputs/money/bill.ts';
import type { RedriveChoice } from '../../ledger/takes/redrive.ts';
import type { Return } from '../../ledger/takes/go-back.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { reopensWith } from '../../policy/voices/awaited-voice.ts';
import { quoteSteps } from '../../policy/money/pricing.ts';
import type { ForgottenResult } from '../reconcile/forgotten-results.ts';
import type { FoundRow, FoundRows, RedriveRules } from './selection.ts';
import { nameOf } from '../../contract/row-parts.ts';
import { RowNumbers } from '../rows/find-rows.ts';
import { paidSteps, planRedrive, type RedrivePlan } from '../../policy/redrive/redrive.ts';
import { RedriveTally, type RefusedRow } from './redrive-tally.ts';

/**
 * Why a redrive is refused as a whole. `open-edits`: the file edits rows that have not ended; they would go on, and be
 * paid for, without the edit. `refused-rows`: some of the requested rows cannot be redriven.
 */
export type RedriveRefusal = 'open-edits' | 'refused-rows';

/**
 * Plans a redrive: first {@link add} every row, which counts and prices it, then read the counts and the bill; later
 * {@link choiceOf} returns the action for each row when the redrive is carried out. Changes nothing.
 *
 * The counts are the fields of `redrive-tally.ts`. A row with parts is added as the parts to redo; it counts as a row
 * (`one` returns 0 for its further parts), with their price. Between the two passes the draft keeps only a row's take
 * and outcome, in 4 bytes: the action is decided again in the second pass, and skipped if take or outcome have changed.
 */
export class RedriveDraft extends RedriveTally {
  readonly #settings: BatchSettings;
  /** How to treat the rows. */
  readonly rules: RedriveRules;
  readonly #bill: Bill;
  /** Each chosen row's take and outcome, encoded by {@link fingerprintOf}. */
  readonly #chosen = new RowNumbers();
  /** The chosen rows that make voices. */
  readonly #makers = new Set<number>();

  /** `budget`: credits left of the batch's budget; null if it has none. */
  constructor(settings: BatchSettings, rules: RedriveRules, budget: number | null) {
    super();
    this.#settings = settings;
    this.rules = rules;
    this.#bill = new Bill(budget);
  }

  /** What the chosen rows will cost, in credits. */
  get bill(): BillSummary {
    return this.#bill.summary();
  }

  /** Why the whole redrive is refused; undefined if it is not. */
  get refusal(): RedriveRefusal | undefined {
    if (this.openEdited > 0) return 'open-edits';
    return this.refused.length > 0 && !this.leavesRefused ? 'refused-rows' : undefined;
  }

  /**
   * True if refused rows are left out and the others redriven: all refused ones may have been charged, and there are
   * others.
   */
  get leavesRefused(): boolean {
    const isDoubtful = [...this.refusedFor.keys()].every((why) => DOUBTFUL.includes(why));
    return this.rules.leavesDoubtful === true && this.count > 0 && isDoubtful;
  }

  /** True if the redrive is complete once recorded: nothing is sent, and the batch needs no worker. */
  get isSettling(): boolean {
    // Accepted parts still have to be joined.
    return this.count > 0 && this.parts === 0 && this.count === this.accepts - this.opened;
  }

  /** True if chosen rows make voices; other rows of the batch may then depend on them: see {@link addDependent}. */
  get makesVoices(): boolean {
    return this.#makers.size > 0;
  }

  /** Adds all rows. */
  async addAll(rows: FoundRows): Promise<void> {
    for await (const found of rows) this.add(found);
  }

  /** Adds a row: counts what will be done with it, and its price. */
  add(found: FoundRow): void {
    const { edit } = found;
    const { row } = found.scanned;
    if (found.rewritten === true) {
      this.rewritten++;
      return;
    }
    if (row.outcome === null) {
      this.left.open += this.one('open', row);
      if (edit !== null) this.leftEdited++;
      if (edit !== null && edit.from !== null) this.openEdited++;
      return;
    }
    const plan = this.#plan(found);
    switch (plan.type) {
      case 'leave':
        this.left[plan.why] += this.one(plan.why, row);
        if (edit !== null) this.leftEdited++;
        return;
      case 'refuse': {
        const because = 'because' in plan && { because: plan.because };
        const leftTake = 'leftTake' in plan && { leftTake: plan.leftTake };
        const stored = plan.why === 'stored' && { stored: this.#stored(found.scanned) };
        this.#refuse(found, { ...nameOf(row), why: plan.why, step: plan.step, ...because, ...leftTake, ...stored });
        return;
      }
      case 'wait':
        if (this.rules.asksForOverdue && row.outcome === 'overdue') {
          this.#refuse(found, { ...nameOf(row), why: 'running', step: plan.step });
          return;
        }
        this.waits += this.one('waits', row);
        if ((row.parts ?? null) !== null) this.joins++;
        if (edit !== null) this.untaken++;
        break;
      case 'accept':
        this.#countAccepted(row, plan);
        break;
      case 'pay':
        this.#countPaid(found, plan);
    }
    this.count += this.one('all', row);
    if (row.partOf !== null) this.parts++;
    this.#chosen.set(row.row, fingerprintOf(row));
    if (row.kind === 'voice') this.#makers.add(row.row);
    this.#price(row, edit?.spec ?? row.spec, paidSteps(row.spec, plan));
  }

  #refuse({ edit }: FoundRow, refused: RefusedRow): void {
    if (edit !== null) this.leftEdited++;
    this.refuse(refused);
  }

  #countAccepted(row: RowSnapshot['row'], plan: Extract<RedrivePlan, { type: 'accept' }>): void {
    this.accepts += this.one('accepts', row);
    if (plan.take !== undefined) this.returns += this.one('returns', row);
    if (plan.isAgain === true) this.refetched += this.one('refetched', row);
    if (plan.isAgain === true || paidSteps(row.spec, plan).length > 0) this.opened += this.one('opened', row);
  }

  #countPaid(found: FoundRow, { fromStep, reason }: Extract<RedrivePlan, { type: 'pay' }>): void {
    const { row } = found.scanned;
    this.pays.set(fromStep, (this.pays.get(fromStep) ?? 0) + this.one(fromStep, row));
    // A lost file counts as a replaced result, because its owner may not know that it is lost.
    const isReplaced = hasResult(row.outcome) || found.lost !== undefined;
    if (isReplaced) this.replace(found);
    if (row.failure?.class === 'NotChosen') this.notChosen += this.one('not-chosen', row);
    // A job whose result could not be fetched was paid for already.
    if (reason === 'resubmitted' || (!isReplaced && row.failure?.class === 'ResultGone'))
      this.resubmitted += this.one('resubmitted', row);
  }

  /**
   * Adds the price of a row that failed only because its voice was not made, if a chosen row makes that voice: the
   * ledger opens it with that one. Call it once all chosen rows are added.
   */
  addDependent({ row, charges }: RowSnapshot): void {
    if (!reopensWith(row, this.#makers) || this.#chosen.get(row.row) !== undefined) return;
    this.dependents += this.one('dependents', row);
    const plan = planRedrive(row, charges, {
      ...{ step: null, resubmit: this.rules.resubmit, replace: false, accept: false, edited: null },
      stored: this.rules.stored?.get(row.row)?.steps,
    });
    // If it is refused, assume that no step is finished.
    this.#price(row, row.spec, plan.type === 'pay' ? paidSteps(row.spec, plan) : stepsIn(row.spec));
  }

  /**
   * Returns what to do with a row; undefined if it is left alone, or its take or outcome has changed since {@link add}.
   */
  choiceOf(found: FoundRow): RedriveChoice | undefined {
    const { scanned, edit, lost, restored } = found;
    const { row: number, take } = scanned.row;
    const outcome = lost?.outcome ?? scanned.row.outcome;
    if (outcome === null || this.#chosen.get(number) !== fingerprintOf(scanned.row)) return undefined;
    const plan = this.#plan(found);
    if (plan.type === 'leave' || plan.type === 'refuse') return undefined;
    const choice = { row: number, take, outcome, ...defined({ lost: lost?.failure, isJoined: lost?.isJoined }) };
    if (plan.type === 'wait') return { ...choice, how: { type: 'wait', ...defined({ restored }) } };
    if (plan.type === 'accept')
      return { ...choice, how: { type: plan.type, ...defined({ earlier: returnTo(found) }) } };
    const edited = edit === null ? {} : { edited: { spec: edit.spec, input: edit.input, quoted: edit.quoted } };
    return { ...choice, how: { ...plan, ...edited } };
  }

  /** Decides what to do with a row, by `policy/redrive/`. */
  #plan({ scanned, edit, restored, earlier, askedSince }: FoundRow): RedrivePlan {
    const { step, replace, accept } = this.rules;
    const resubmit = this.rules.resubmit && restored === undefined;
    const edited = edit === null ? null : { from: edit.from };
    const options = {
      step,
      resubmit,
      replace,
      accept,
      earlier,
      askedSince,
      edited,
      stored: this.#stored(scanned)?.steps,
    };
    return planRedrive(scanned.row, scanned.charges, options);
  }

  /** The row's results that the store has, although their requests are not on record. */
  #stored({ row }: RowSnapshot): ForgottenResult | undefined {
    return this.rules.stored?.get(row.row);
  }

  /** Adds the price of these steps of a row to the bill. */
  #price(row: RowSnapshot['row'], spec: RowSpec, steps: readonly Step[]): void {
    const { tts, prices } = this.#settings;
    const operations = steps.map((step) => operationOf(row.spec, step, tts));
    if (operations.length === 0) return;
    const isFirst = this.one('paying', row) === 1;
    if (isFirst) this.paying++;
    if (operations.some((operation) => priceIn(prices, operation).estimate)) this.isEstimate = true;
    const quoted = quoteSteps(steps, spec, { prices, tts });
    this.#bill.add({ line: row.line, id: row.id, spec, quoted, isAssumed: false, ofLastRow: !isFirst });
  }
}

/** Reasons for refusal that mean that a row may have been charged. */
const DOUBTFUL: readonly RefusedRow['why'][] = ['unknown', 'running', 'stored', 'on-the-wire'];

/** Returns the earlier take that an accepted row goes back to; undefined if it keeps its present result. */
function returnTo({ earlier }: FoundRow): Return | undefined {
  if (earlier === undefined) return undefined;
  const { take, text, is } = earlier;
  return { take, isLost: is !== undefined, ...defined({ text }) };
}

/** Encodes a row's take and outcome as a number above 0, as {@link RowNumbers} requires. */
function fingerprintOf({ take, outcome }: RowSnapshot['row']): number {
  return take * 16 + (outcome === null ? 0 : OUTCOMES.indexOf(outcome) + 1);
}
