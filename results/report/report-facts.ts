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
import { longestText, sampledEach } from './row-blocks.ts';

/** What is known of a batch beside its rows, in the words of the caller. */
export interface ReportContext {
  /** One word for its state. */
  readonly standing: string;
  readonly notes: readonly string[];
  readonly actions: readonly ReportAction[];
  /** Names of voices by their ids. Default: none is known. */
  readonly voiceNames?: Readonly<Record<string, string>>;
}

/** What is known once all rows have come. */
interface Known {
  readonly batch: BatchRecord;
  readonly context: ReportContext;
  readonly credits: ReportHead['credits'];
  readonly listed: { readonly rows: number; readonly choice: ReportChoice };
  readonly folder: string | null;
  readonly version: string;
}

/** Everything that a report says of all rows together, counted as they come. */
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
  #newest = 0;

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
    if (failure.class === 'NotChosen') this.#notChosen += 1;
    else
      this.#failures.add({
        ...{ id: row.id, standing: outcome ?? row.state, class: failure.class },
        cause: this.#hasTexts ? publicText(failure.cause ?? '') : String(failure.status ?? ''),
        message: this.#hasTexts ? publicText(fields._message) : '',
      });
  }

  view({ batch, context, credits, listed, folder, version }: Known): ReportHead {
    const time = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
    const hasTexts = this.#hasTexts;
    const { reopenedAt, startedAt } = batch;
    const isReopened = startedAt !== null && reopenedAt !== null && reopenedAt > startedAt;
    return {
      version,
      batch: batch.name,
      source: publicText(batch.source),
      // Whom it is paid to, and from which account, is nothing for others.
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
      budgetLeft: null,
      startedAt: time(startedAt),
      since: time(isReopened ? reopenedAt : startedAt),
      endedAt: time(batch.closedAt),
      createdAt: isoTime(batch.createdAt),
      asOf: batch.state === 'closed' || this.#newest === 0 ? null : isoTime(this.#newest),
      // They may quote the API, and what to do next is nothing for others.
      notes: hasTexts ? context.notes.map(publicText) : [],
      // They come from cells of the manifest.
      voiceNames: hasTexts ? (context.voiceNames ?? {}) : {},
      listed: { ...listed, every: sampledEach({ rows: this.#rows }) },
      longestText: hasTexts ? longestText({ rows: this.#rows }) : null,
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
