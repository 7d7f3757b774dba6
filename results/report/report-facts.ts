import {
  hasResult,
  OUTCOMES,
  RESULT_OUTCOMES,
  shownControl,
  wasAccepted,
  type Outcome,
} from '../../contract/outcomes.ts';
import type { ReportAction, ReportChoice, ReportHead } from '../../contract/report.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { isoTime } from '../../contract/times.ts';
import { creditsOf, type ResultFields, type ScannedRow } from '../result-line.ts';
import { BillLines } from './bill-lines.ts';
import { Distribution } from './distribution.ts';
import { EndTimeline } from './end-timeline.ts';
import { FailureGroups } from './failure-groups.ts';
import { publicText } from './public-text.ts';
import { maxTextLength, sampledEach } from './row-blocks.ts';

/** What a report shows of a batch besides its rows; the words are the caller's. */
export interface ReportContext {
  /** One word for its state. */
  readonly standing: string;
  /** Sentences on the state, and on what to do next. */
  readonly notes: readonly string[];
  readonly actions: readonly ReportAction[];
  /** Names of voices by their ids. Default: none are known. */
  readonly voiceNames?: Readonly<Record<string, string>>;
}

/** What {@link ReportFacts.view} needs once all rows were added. */
interface FinalFacts {
  readonly batch: BatchRecord;
  readonly context: ReportContext;
  readonly credits: ReportHead['credits'];
  /** How many rows the report lists, and which. */
  readonly listed: { readonly rows: number; readonly choice: ReportChoice };
  /** Path from the report to the out folder; null: no file is linked. */
  readonly folder: string | null;
  readonly version: string;
}

/** Counts what a report shows about all rows together: outcomes, bill, failures, times. Call `add` for each row. */
export class ReportFacts {
  readonly #hasTexts: boolean;
  readonly #rows: number;
  readonly #bill = new BillLines();
  readonly #failures = new FailureGroups();
  readonly #ends = new EndTimeline();
  readonly #lengths = new Distribution();
  readonly #prices = new Distribution();
  readonly #outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, 0])) as Record<Outcome, number>;
  readonly #takes = new Map<number, number>();
  #notChosen = 0;
  /** Time of the latest event of any row, ms since 1970. */
  #newest = 0;

  /** `hasTexts`: see `ReportOptions` (`report-file.ts`). */
  constructor({ rows }: Pick<BatchRecord, 'rows'>, hasTexts: boolean) {
    this.#rows = rows;
    this.#hasTexts = hasTexts;
  }

  add({ row, charges }: ScannedRow, fields: ResultFields): void {
    const { outcome, failure, endedAt } = row;
    for (const charge of charges) {
      this.#bill.add(charge);
      this.#newest = Math.max(this.#newest, charge.intentAt, charge.verdictAt ?? 0, charge.finishedAt ?? 0);
    }
    this.#takes.set(row.take, (this.#takes.get(row.take) ?? 0) + 1);
    if (row.file?.seconds !== undefined) this.#lengths.add(row.file.seconds);
    if (charges.some(({ state }) => wasAccepted(state))) this.#prices.add(creditsOf(charges));
    if (outcome !== null) {
      this.#outcomes[outcome] += 1;
      if (endedAt !== null) this.#ends.add(endedAt, outcome);
      this.#newest = Math.max(this.#newest, endedAt ?? 0);
    }
    if (failure === null || hasResult(outcome)) return;
    if (failure.class === 'NotChosen') {
      this.#notChosen += 1;
      return;
    }
    this.#failures.add({
      id: row.id,
      standing: outcome ?? row.state,
      class: failure.class,
      cause: this.#hasTexts ? publicText(failure.cause ?? '') : String(failure.status ?? ''),
      message: this.#hasTexts ? publicText(fields._message) : '',
    });
  }

  /** Returns the head of the report. */
  view({ batch, context, credits, listed, folder, version }: FinalFacts): ReportHead {
    const time = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
    const hasTexts = this.#hasTexts;
    const { reopenedAt, startedAt } = batch;
    const isReopened = startedAt !== null && reopenedAt !== null && reopenedAt > startedAt;
    return {
      version,
      batch: batch.name,
      source: publicText(batch.source),
      // A report without texts is for others, who need not know API and account.
      api: hasTexts ? publicText(batch.apiUrl) : null,
      account: hasTexts ? batch.account : null,
      standing: context.standing,
      state: batch.state,
      control: shownControl(batch),
      rows: batch.rows,
      done: RESULT_OUTCOMES.reduce((sum, outcome) => sum + this.#outcomes[outcome], 0),
      notChosen: this.#notChosen,
      outcomes: this.#outcomes,
      credits,
      budget: batch.settings.budget,
      // Only the page of a running batch shows what is left.
      budgetLeft: null,
      startedAt: time(startedAt),
      since: time(isReopened ? reopenedAt : startedAt),
      endedAt: time(batch.closedAt),
      createdAt: isoTime(batch.createdAt),
      asOf: batch.state === 'closed' || this.#newest === 0 ? null : isoTime(this.#newest),
      // Notes may quote the API, and others need no advice on what to do next.
      notes: hasTexts ? context.notes.map(publicText) : [],
      // Names of voices come from cells of the manifest.
      voiceNames: hasTexts ? (context.voiceNames ?? {}) : {},
      listed: { ...listed, every: sampledEach({ rows: this.#rows }) },
      longestText: hasTexts ? maxTextLength({ rows: this.#rows }) : null,
      folder: hasTexts ? folder : null,
      ...this.#bill.view(),
      lengths: this.#lengths.view(),
      prices: this.#prices.view(),
      ends: this.#ends.view(),
      ...this.#failures.view(),
      takes: [...this.#takes].sort(([one], [other]) => one - other).map(([take, rows]) => ({ take, rows })),
      actions: context.actions.map((action) => ({
        ...action,
        who: hasTexts ? action.who : null,
        reason: hasTexts && action.reason !== null ? publicText(action.reason) : null,
      })),
    };
  }
}
