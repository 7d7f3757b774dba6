import type { BatchSettings } from '../contract/batch.ts';
import { defined } from '../contract/defined.ts';
import type { Failure } from '../contract/failures.ts';
import { hasResult, OUTCOMES } from '../contract/outcomes.ts';
import { wholeId } from '../contract/row-parts.ts';
import { operationOf, stepsIn, type RowSpec, type Step } from '../contract/row-kinds.ts';
import { Bill, type BillSummary } from '../inputs/bill.ts';
import type { RedriveChoice, Return } from '../ledger/row-methods.ts';
import type { NewRow, RowStanding } from '../ledger/record-types.ts';
import { goesOnWith } from '../policy/awaited-voice.ts';
import { quoteSteps } from '../policy/pricing.ts';
import { nameOf, type NamedRow } from './named-row.ts';
import type { RowConditions } from './row-conditions.ts';
import { RowNumbers } from './row-numbers.ts';
import { whoAsks } from './who-asks.ts';
import type { EarlierTake, ReturnRefusal } from '../policy/earlier-take.ts';
import { paidSteps, planRedrive, type RedrivePlan } from '../policy/redrive.ts';

/** A row's new request. */
export interface RowEdit extends Pick<NewRow, 'spec' | 'input' | 'quoted'> {
  /** The first step that reads a changed cell; null if none does. */
  readonly from: Step | null;
}

/** A take to go back to, and the text of its result if that is one. */
export interface FoundTake extends EarlierTake {
  readonly text?: string;
}

/** A row of a batch found in a file. `edit` is null if nothing changed. */
export interface FoundRow {
  readonly scanned: RowStanding;
  readonly edit: RowEdit | null;
  /**
   * Its stored file is lost, and why; `scanned` is the row without it. `outcome`: how it ended; `isJoined`: it is a part,
   * and its row has its joined file. Default: it is not lost.
   */
  readonly lost?: {
    readonly failure: Failure;
    readonly outcome: RowStanding['row']['outcome'];
    readonly isJoined: boolean;
  };
  /** With `accept`: the take whose result it goes back to, and once that was looked for, what is known about it. */
  readonly take?: number;
  readonly earlier?: FoundTake;
  /** Its stored file was lost, and is back as it is on record. Default: it is not. */
  readonly restored?: true;
  /** Only texts of it are lost, which are stored again without the API: it needs nothing else. Default: no. */
  readonly rewritten?: true;
}

/** How to treat the chosen rows. */
export interface RedriveRules {
  readonly step: Step | null;
  readonly resubmit: boolean;
  /** Replace existing results. */
  readonly replace: boolean;
  /** Accept results that failed a check, or lack the answer of one, as they are; or those of earlier takes. */
  readonly accept: boolean;
  /** Only rows with a result whose stored file is lost or damaged. Default false. */
  readonly damaged?: boolean;
  /** Of a row in parts, only those of its parts without a result that meet these. Default: all of them. */
  readonly only?: RowConditions;
  /** Rows that ended `overdue` need explicit consent: `run overdue.csv` could mean either. */
  readonly asksForOverdue: boolean;
}

/**
 * Why a redrive is refused as a whole. `open-edits`: rows are edited that have not ended; they would go on, and be paid
 * for, as they were. `refused-rows`: rows are left alone that were asked for.
 */
export type RedriveRefusal = 'open-edits' | 'refused-rows';

/** A row that is left alone, and why. */
export interface RefusedRow extends NamedRow {
  readonly why: Extract<RedrivePlan, { type: 'refuse' }>['why'];
  readonly step: Step;
  /** Why it does not go back to an earlier take. */
  readonly because?: ReturnRefusal;
}

/** A row whose result is replaced. `isEdited`: because the file asks for something else than the row did last. */
export interface ReplacedRow extends NamedRow {
  readonly isEdited: boolean;
  /** Its stored file is lost, and cannot be had free. Default false. */
  readonly isLost?: true;
}

/** The rows of a redrive. Each iteration starts anew: one announces the redrive, another carries it out. */
export type FoundRows = AsyncIterable<FoundRow>;

/** Further rows whose results are replaced are only counted. */
const KEPT_REPLACED = 20;
/** Further refused rows are only counted. */
const KEPT_REFUSED = 1_000;

/**
 * Plans a redrive row by row. Changes nothing. A row in parts comes as those of its parts that are done again: it is counted as one
 * row, and priced by these parts. It keeps only each row's standing, in a few bytes: the action is worked
 * out again when the row's turn comes, and skipped if its standing has changed by then.
 */
export class RedriveDraft {
  /** Rows with something to do. */
  count = 0;
  /** Parts of these rows with something to do. */
  parts = 0;
  /** The first rows that are left alone. */
  readonly refused: RefusedRow[] = [];
  /** How many are left alone, by reason; a part of a row counts as one. */
  readonly refusedFor = new Map<RefusedRow['why'], number>();
  /** How many of them are parts of rows. */
  refusedParts = 0;
  /** Rows that are paid for again, by the first paid step. */
  readonly pays = new Map<Step, number>();
  /** Rows whose job is waited for again. */
  waits = 0;
  /** Of these, rows in parts that are only joined again. */
  joins = 0;
  /** Rows with a result whose lost texts are stored again, without the API. */
  rewritten = 0;
  /** Of these, rows with edits that no step reads: they would be lost, because only a new take has its own input. */
  untaken = 0;
  /** Edited rows that are left alone: their edits are only in the file. */
  leftEdited = 0;
  /** Of these, rows that have not ended, with edits that a step reads: they go on as they were before the edit. */
  openEdited = 0;
  /** Rows whose result is accepted as it is. */
  accepts = 0;
  /** Of these, rows that go back to the result of an earlier take. */
  returns = 0;
  /** Of these, rows whose lost file is fetched again first. */
  refetched = 0;
  /** Of the accepted rows, those with remaining steps, or whose file is fetched again: they are open again. */
  opened = 0;
  readonly left = { open: 0, 'has-result': 0, 'no-unfit': 0 };
  /** Rows with a result that will be replaced, as a whole or in part. */
  replaced = 0;
  /** Of these, rows whose stored file is lost, and cannot be had free. */
  lost = 0;
  /** The first rows whose results will be replaced. */
  readonly firstReplaced: ReplacedRow[] = [];
  /** Of these, rows that `--limit` or `--sample` left out. */
  notChosen = 0;
  /** Rows that may be charged a second time for one result. */
  resubmitted = 0;
  /** Rows that will cost something. */
  paying = 0;
  /** Rows that were not chosen, and go on by themselves with the chosen rows that make their voices. They are in the bill. */
  dependents = 0;
  /** Whether part of the bill is estimated. */
  isEstimate = false;

  readonly #settings: BatchSettings;
  /** How the rows are treated. */
  readonly rules: RedriveRules;
  readonly #bill: Bill;
  /** Each chosen row's standing: its take and outcome. */
  readonly #chosen = new RowNumbers();
  /** What was counted of which rows in parts. */
  readonly #counted = new Set<string>();
  /** The chosen rows that make voices. */
  readonly #makers = new Set<number>();

  /** `budget`: what is left of the batch's budget; null if it has none. */
  constructor(settings: BatchSettings, rules: RedriveRules, budget: number | null) {
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
    return this.refused.length > 0 ? 'refused-rows' : undefined;
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
      this.left.open += this.#one('open', row);
      if (edit === null) return;
      this.leftEdited++;
      if (edit.from !== null) this.openEdited++;
      return;
    }
    const plan = this.#plan(found);
    switch (plan.type) {
      case 'leave':
        this.left[plan.why] += this.#one(plan.why, row);
        if (edit !== null) this.leftEdited++;
        return;
      case 'refuse':
        this.#refuse({
          ...nameOf(row),
          why: plan.why,
          step: plan.step,
          ...('because' in plan && { because: plan.because }),
        });
        return;
      case 'wait':
        if (this.rules.asksForOverdue && outcome === 'overdue') {
          this.#refuse({ ...nameOf(row), why: 'running', step: plan.step });
          return;
        }
        this.waits += this.#one('waits', row);
        if ((row.parts ?? null) !== null) this.joins++;
        if (edit !== null) this.untaken++;
        break;
      case 'accept':
        this.accepts += this.#one('accepts', row);
        if (plan.take !== undefined) this.returns += this.#one('returns', row);
        if (plan.isAgain === true) this.refetched += this.#one('refetched', row);
        if (plan.isAgain === true || paidSteps(row.spec, plan).length > 0) this.opened += this.#one('opened', row);
        break;
      case 'pay': {
        this.pays.set(plan.fromStep, (this.pays.get(plan.fromStep) ?? 0) + this.#one(plan.fromStep, row));
        // Who paid for a result thinks of it as there, until told that its file is lost.
        const isReplaced = hasResult(outcome) || found.lost !== undefined;
        if (isReplaced) this.#replace(found);
        if (row.failure?.class === 'NotChosen') this.notChosen += this.#one('not-chosen', row);
        // A job whose result could not be fetched was paid for, too.
        if (plan.reason === 'resubmitted' || (!isReplaced && row.failure?.class === 'ResultGone'))
          this.resubmitted += this.#one('resubmitted', row);
      }
    }
    this.count += this.#one('all', row);
    if (row.partOf !== null) this.parts++;
    this.#chosen.set(number, standingOf(row));
    if (row.kind === 'voice') this.#makers.add(number);
    this.#price(row, edit?.spec ?? row.spec, paidSteps(row.spec, plan));
  }

  /**
   * Adds the price of a row that failed only because its voice was not made, if a chosen row makes that voice: the ledger
   * opens it with that one. Call it once all chosen rows are added.
   */
  addDependent({ row, charges }: RowStanding): void {
    if (!goesOnWith(row, this.#makers) || this.#chosen.get(row.row) !== undefined) return;
    this.dependents += this.#one('dependents', row);
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

  #plan({ scanned, edit, restored, earlier }: FoundRow): RedrivePlan {
    const { step, replace, accept } = this.rules;
    const resubmit = this.rules.resubmit && restored === undefined;
    const edited = edit === null ? null : { from: edit.from };
    return planRedrive(scanned.row, scanned.charges, { step, resubmit, replace, accept, earlier, edited });
  }

  #replace({ scanned: { row }, edit, lost }: FoundRow): void {
    if (lost !== undefined) this.lost += this.#one('lost', row);
    if (this.#one('replaced', row) === 0) return;
    this.replaced++;
    if (this.firstReplaced.length >= KEPT_REPLACED) return;
    const whole = row.partOf === null ? nameOf(row) : { row: row.partOf, id: wholeId(row.id) };
    const isLost = lost === undefined ? {} : { isLost: true as const };
    this.firstReplaced.push({ ...whole, isEdited: edit !== null, ...isLost });
  }

  #refuse(row: RefusedRow): void {
    this.refusedFor.set(row.why, (this.refusedFor.get(row.why) ?? 0) + 1);
    if ((row.partOf ?? null) !== null) this.refusedParts++;
    if (this.refused.length < KEPT_REFUSED) this.refused.push(row);
  }

  #price(row: RowStanding['row'], spec: RowSpec, steps: readonly Step[]): void {
    const { tts, prices } = this.#settings;
    const operations = steps.map((step) => operationOf(row.spec, step, tts));
    if (operations.length === 0) return;
    const isFirst = this.#one('paying', row) === 1;
    if (isFirst) this.paying++;
    if (operations.some((operation) => prices[operation].estimate)) this.isEstimate = true;
    const quoted = quoteSteps(steps, spec, { prices, tts });
    this.#bill.add({ line: row.line, id: row.id, spec, quoted, isAssumed: false, ofLastRow: !isFirst });
  }

  /** 1 if this row is to be counted as such; 0 for a further part of a row. */
  #one(what: string, { partOf }: RowStanding['row']): 0 | 1 {
    if (partOf === null) return 1;
    const key = `${what} ${String(partOf)}`;
    if (this.#counted.has(key)) return 0;
    this.#counted.add(key);
    return 1;
  }
}

/** What a redrive will do and cost, in numbers of rows. Nothing of it has happened yet. */
export type RedriveForecast = Readonly<
  Pick<
    RedriveDraft,
    | 'count'
    | 'parts'
    | 'pays'
    | 'waits'
    | 'joins'
    | 'rewritten'
    | 'untaken'
    | 'openEdited'
    | 'accepts'
    | 'returns'
    | 'refetched'
    | 'left'
    | 'replaced'
    | 'lost'
    | 'firstReplaced'
    | 'notChosen'
    | 'resubmitted'
    | 'paying'
    | 'dependents'
    | 'isEstimate'
    | 'bill'
    | 'refused'
    | 'refusedFor'
    | 'refusedParts'
  >
>;

function returnTo({ earlier }: FoundRow): Return | undefined {
  if (earlier === undefined) return undefined;
  const { take, text, is } = earlier;
  return { take, who: whoAsks(), isLost: is !== undefined, ...defined({ text }) };
}

/** Encodes take and outcome as a number above 0. */
function standingOf({ take, outcome }: RowStanding['row']): number {
  return take * 16 + (outcome === null ? 0 : OUTCOMES.indexOf(outcome) + 1);
}
