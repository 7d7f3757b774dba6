import type { BatchSettings } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import { hasResult, OUTCOMES } from '../../contract/outcomes.ts';
import { operationOf, priceIn, type RowSpec, type Step, stepsIn } from '../../contract/row-kinds.ts';
import { Bill, type BillSummary } from '../../inputs/money/bill.ts';
import type { RedriveChoice } from '../../ledger/takes/redrive.ts';
import type { Return } from '../../ledger/takes/go-back.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { goesOnWith } from '../../policy/voices/awaited-voice.ts';
import { quoteSteps } from '../../policy/money/pricing.ts';
import type { FoundRow, FoundRows, RedriveRules } from './selection.ts';
import { nameOf } from '../../contract/row-parts.ts';
import { RowNumbers } from '../rows/find-rows.ts';
import { paidSteps, planRedrive, type RedrivePlan } from '../../policy/redrive/redrive.ts';
import { RedriveTally, type RefusedRow } from './redrive-tally.ts';

/**
 * Why a redrive is refused as a whole. `open-edits`: rows are edited that have not ended; they would go on, and be paid
 * for, as they were. `refused-rows`: rows are left alone that were asked for.
 */
export type RedriveRefusal = 'open-edits' | 'refused-rows';

/**
 * Plans a redrive row by row. Changes nothing. A row in parts comes as those of its parts that are done again: it is
 * counted as one row, and priced by these parts. It keeps only each row's standing, in a few bytes: the action is
 * worked out again when the row's turn comes, and skipped if its standing has changed by then.
 */
export class RedriveDraft extends RedriveTally {
  readonly #settings: BatchSettings;
  /** How the rows are treated. */
  readonly rules: RedriveRules;
  readonly #bill: Bill;
  /** Each chosen row's standing: its take and outcome. */
  readonly #chosen = new RowNumbers();
  /** The chosen rows that make voices. */
  readonly #makers = new Set<number>();

  /** `budget`: what is left of the batch's budget; null if it has none. */
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

  /** Why none of it may be done, whichever rows could be; undefined: it may. */
  get refusal(): RedriveRefusal | undefined {
    if (this.openEdited > 0) return 'open-edits';
    return this.refused.length > 0 && !this.leavesRefused ? 'refused-rows' : undefined;
  }

  /** True if there are other rows than the refused ones, which only may have been charged: they are left out. */
  get leavesRefused(): boolean {
    const isDoubtful = [...this.refusedFor.keys()].every((why) => DOUBTFUL.includes(why));
    return this.rules.leavesDoubtful === true && this.count > 0 && isDoubtful;
  }

  /** True if recording it completes it: nothing is sent, and the batch needs no worker. */
  get isSettling(): boolean {
    // A row in parts is joined once they are accepted.
    return this.count > 0 && this.parts === 0 && this.count === this.accepts - this.opened;
  }

  /** True if it runs rows that make voices; then every other row of the batch may be one of {@link addDependent}. */
  get makesVoices(): boolean {
    return this.#makers.size > 0;
  }

  /** Adds all rows. */
  async addAll(rows: FoundRows): Promise<void> {
    for await (const found of rows) this.add(found);
  }

  add(found: FoundRow): void {
    const { scanned, edit } = found;
    const { row } = scanned;
    const { row: number, outcome } = row;
    if (found.rewritten === true) {
      this.rewritten++;
      return;
    }
    if (outcome === null) {
      this.left.open += this.one('open', row);
      if (edit === null) return;
      this.leftEdited++;
      if (edit.from !== null) this.openEdited++;
      return;
    }
    const plan = this.#plan(found);
    switch (plan.type) {
      case 'leave':
        this.left[plan.why] += this.one(plan.why, row);
        if (edit !== null) this.leftEdited++;
        return;
      case 'refuse':
        if (edit !== null) this.leftEdited++;
        this.refuse({
          ...nameOf(row),
          why: plan.why,
          step: plan.step,
          ...('because' in plan && { because: plan.because }),
          ...('leftTake' in plan && { leftTake: plan.leftTake }),
        });
        return;
      case 'wait':
        if (this.rules.asksForOverdue && outcome === 'overdue') {
          if (edit !== null) this.leftEdited++;
          this.refuse({ ...nameOf(row), why: 'running', step: plan.step });
          return;
        }
        this.waits += this.one('waits', row);
        if ((row.parts ?? null) !== null) this.joins++;
        if (edit !== null) this.untaken++;
        break;
      case 'accept':
        this.accepts += this.one('accepts', row);
        if (plan.take !== undefined) this.returns += this.one('returns', row);
        if (plan.isAgain === true) this.refetched += this.one('refetched', row);
        if (plan.isAgain === true || paidSteps(row.spec, plan).length > 0) this.opened += this.one('opened', row);
        break;
      case 'pay': {
        this.pays.set(plan.fromStep, (this.pays.get(plan.fromStep) ?? 0) + this.one(plan.fromStep, row));
        // Who paid for a result thinks of it as there, until told that its file is lost.
        const isReplaced = hasResult(outcome) || found.lost !== undefined;
        if (isReplaced) this.replace(found);
        if (row.failure?.class === 'NotChosen') this.notChosen += this.one('not-chosen', row);
        // A job whose result could not be fetched was paid for, too.
        if (plan.reason === 'resubmitted' || (!isReplaced && row.failure?.class === 'ResultGone'))
          this.resubmitted += this.one('resubmitted', row);
      }
    }
    this.count += this.one('all', row);
    if (row.partOf !== null) this.parts++;
    this.#chosen.set(number, standingOf(row));
    if (row.kind === 'voice') this.#makers.add(number);
    this.#price(row, edit?.spec ?? row.spec, paidSteps(row.spec, plan));
  }

  /**
   * Adds the price of a row that failed only because its voice was not made, if a chosen row makes that voice: the
   * ledger opens it with that one. Call it once all chosen rows are added.
   */
  addDependent({ row, charges }: RowSnapshot): void {
    if (!goesOnWith(row, this.#makers) || this.#chosen.get(row.row) !== undefined) return;
    this.dependents += this.one('dependents', row);
    const plan = planRedrive(row, charges, { ...this.rules, step: null, replace: false, accept: false, edited: null });
    // In doubt, nothing of it is finished.
    this.#price(row, row.spec, plan.type === 'pay' ? paidSteps(row.spec, plan) : stepsIn(row.spec));
  }

  /** What to do with a row; undefined if it is left alone, or its standing has changed. */
  choiceOf(found: FoundRow): RedriveChoice | undefined {
    const { scanned, edit, lost, restored } = found;
    const { row: number, take } = scanned.row;
    const outcome = lost?.outcome ?? scanned.row.outcome;
    if (outcome === null || this.#chosen.get(number) !== standingOf(scanned.row)) return undefined;
    const plan = this.#plan(found);
    if (plan.type === 'leave' || plan.type === 'refuse') return undefined;
    const choice = { row: number, take, outcome, ...defined({ lost: lost?.failure, isJoined: lost?.isJoined }) };
    if (plan.type === 'wait') return { ...choice, how: { type: 'wait', ...defined({ restored }) } };
    if (plan.type === 'accept')
      return { ...choice, how: { type: plan.type, ...defined({ earlier: returnTo(found) }) } };
    const edited = edit === null ? {} : { edited: { spec: edit.spec, input: edit.input, quoted: edit.quoted } };
    return { ...choice, how: { ...plan, ...edited } };
  }

  #plan({ scanned, edit, restored, earlier, askedSince }: FoundRow): RedrivePlan {
    const { step, replace, accept } = this.rules;
    const resubmit = this.rules.resubmit && restored === undefined;
    const edited = edit === null ? null : { from: edit.from };
    const wish = { step, resubmit, replace, accept, earlier, askedSince, edited };
    return planRedrive(scanned.row, scanned.charges, wish);
  }

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

/** Why a row may have been charged without a result. */
const DOUBTFUL: readonly RefusedRow['why'][] = ['unknown', 'running', 'on-the-wire'];

function returnTo({ earlier }: FoundRow): Return | undefined {
  if (earlier === undefined) return undefined;
  const { take, text, is } = earlier;
  return { take, isLost: is !== undefined, ...defined({ text }) };
}

/** Encodes take and outcome as a number above 0. */
function standingOf({ take, outcome }: RowSnapshot['row']): number {
  return take * 16 + (outcome === null ? 0 : OUTCOMES.indexOf(outcome) + 1);
}
