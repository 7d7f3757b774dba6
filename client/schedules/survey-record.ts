import type { ExitName } from '../../contract/exit-codes.ts';
import { LedgerForbidden } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { OccurrenceRange, OccurrenceRecord, Survey } from '../../ledger/schedules/occurrence-records.ts';
import type { DueTime } from '../../policy/schedules/missing-occurrence.ts';

/** A due time that may still take place; `reason`: why it waits. */
export interface WaitingOccurrence extends DueTime {
  readonly reason: string;
}

/** What a survey of a schedule found that is not on record. */
export interface Surveyed {
  /** Those that may still take place, the oldest first. */
  readonly waiting: readonly WaitingOccurrence[];
  /**
   * Those that failed or did not take place, and whoever looks may not record. A record of the same time is outdated.
   */
  readonly unrecorded: readonly OccurrenceRecord[];
}

/** What is known besides the records where nothing was surveyed. */
export const NOTHING_FOUND: Surveyed = { waiting: [], unrecorded: [] };

const NO_BATCH = { exit: null, cause: null, reason: null, endedAt: null, etag: null, isUnchanged: null, out: null };

/**
 * Puts what a survey of a schedule finds on record. Who may only read the ledger is told it all the same, and its
 * record is left to those who may: a worker, or an operator who looks.
 */
export class SurveyRecord {
  readonly schedule: string;
  readonly #ledger: Ledger;
  readonly #mustRecord: boolean;
  readonly #unrecorded = new Map<number, OccurrenceRecord>();
  #mayRecord = true;

  /** `mustRecord`: throws {@link LedgerForbidden} instead. */
  constructor(ledger: Ledger, schedule: string, mustRecord = false) {
    this.#ledger = ledger;
    this.schedule = schedule;
    this.#mustRecord = mustRecord;
  }

  /** What was found, and may not be recorded. */
  get unrecorded(): readonly OccurrenceRecord[] {
    return [...this.#unrecorded.values()];
  }

  /** The occurrences as they are known now. */
  async occurrencesOf(range: OccurrenceRange): Promise<readonly OccurrenceRecord[]> {
    return withUnrecorded(await this.#ledger.occurrencesOf(this.schedule, range), this.unrecorded, range);
  }

  /** Records an occurrence that failed. */
  async fail(at: number, exit: ExitName | null, reason: string): Promise<void> {
    const { schedule } = this;
    const isRecorded = await this.#record(() =>
      this.#ledger.endOccurrence({ schedule, at }, { type: 'failed', exit, reason }),
    );
    if (!isRecorded) this.#unrecorded.set(at, { ...NO_BATCH, at, state: 'failed', exit, reason, endedAt: Date.now() });
  }

  /** Records those that did not take place, and how far the survey went. */
  async noteSkips(survey: Survey): Promise<void> {
    if (await this.#record(() => this.#ledger.noteSkips(this.schedule, survey))) return;
    for (const one of survey.skipped) {
      if (!this.#unrecorded.has(one.at)) this.#unrecorded.set(one.at, { ...NO_BATCH, ...one, state: 'skipped' });
    }
  }

  /** Removes a batch that nobody goes on loading. */
  async discardLoading(batch: string): Promise<void> {
    await this.#record(() => this.#ledger.discardLoading(batch));
  }

  async #record(write: () => Promise<unknown>): Promise<boolean> {
    if (!this.#mayRecord) return false;
    try {
      await write();
      return true;
    } catch (error) {
      if (this.#mustRecord || !(error instanceof LedgerForbidden)) throw error;
      this.#mayRecord = false;
      return false;
    }
  }
}

/** Occurrences on record, with what is known beyond them in the place of its record; the newest first. */
export function withUnrecorded(
  records: readonly OccurrenceRecord[],
  unrecorded: readonly OccurrenceRecord[],
  { from = -Infinity, most }: OccurrenceRange,
): readonly OccurrenceRecord[] {
  if (unrecorded.length === 0) return records;
  const known = new Map([...records, ...unrecorded].map((one) => [one.at, one]));
  const inOrder = [...known.values()].filter(({ at }) => at >= from).sort((one, other) => other.at - one.at);
  return inOrder.slice(0, most);
}
