import type { ExitName } from '../../contract/exit-codes.ts';
import { LedgerForbidden } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { OccurrenceRange, OccurrenceRecord, Survey } from '../../ledger/schedules/occurrence-records.ts';
import type { DueTime } from '../../policy/schedules/missing-occurrence.ts';

/** A due time whose firing may still come; `reason`: why it waits, as a sentence. */
export interface WaitingOccurrence extends DueTime {
  readonly reason: string;
}

/**
 * What a survey of a schedule found in addition to the records. A survey finds out what became of each time at which
 * the schedule was due since the last survey.
 */
export interface Surveyed {
  /** Occurrences that may still take place, oldest first. */
  readonly waiting: readonly WaitingOccurrence[];
  /**
   * Occurrences that failed or did not take place, and that this user may not record. They replace records of the same
   * time.
   */
  readonly unrecorded: readonly OccurrenceRecord[];
}

/** The findings if no survey was made. */
export const NOTHING_FOUND: Surveyed = { waiting: [], unrecorded: [] };

/** The facts of an occurrence that made no batch. */
const NO_BATCH = { exit: null, cause: null, reason: null, endedAt: null, etag: null, isUnchanged: null, out: null };

/**
 * Records what a survey of a schedule finds. If this user may only read the ledger, the findings are kept in memory,
 * and recording is left to a worker or another user.
 */
export class SurveyRecord {
  readonly schedule: string;
  readonly #ledger: Ledger;
  readonly #mustRecord: boolean;
  readonly #unrecorded = new Map<number, OccurrenceRecord>();
  #mayRecord = true;

  /** @param mustRecord throw {@link LedgerForbidden} if this user may only read the ledger */
  constructor(ledger: Ledger, schedule: string, mustRecord = false) {
    this.#ledger = ledger;
    this.schedule = schedule;
    this.#mustRecord = mustRecord;
  }

  /** The findings that could not be recorded. */
  get unrecorded(): readonly OccurrenceRecord[] {
    return [...this.#unrecorded.values()];
  }

  /** The occurrences on record, updated with the findings that could not be recorded. */
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

  /** Records occurrences that did not take place, and how far the survey went. */
  async noteSkips(survey: Survey): Promise<void> {
    if (await this.#record(() => this.#ledger.noteSkips(this.schedule, survey))) return;
    for (const one of survey.skipped) {
      if (!this.#unrecorded.has(one.at)) this.#unrecorded.set(one.at, { ...NO_BATCH, ...one, state: 'skipped' });
    }
  }

  /** Removes a batch whose loading was abandoned. */
  async discardLoading(batch: string): Promise<void> {
    await this.#record(() => this.#ledger.discardLoading(batch));
  }

  /** Returns false if this user may not write to the ledger. */
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

/** Replaces the records of the same times by unrecorded findings; newest first. */
export function withUnrecorded(
  records: readonly OccurrenceRecord[],
  unrecorded: readonly OccurrenceRecord[],
  { from = -Infinity, max }: OccurrenceRange,
): readonly OccurrenceRecord[] {
  if (unrecorded.length === 0) return records;
  const known = new Map([...records, ...unrecorded].map((one) => [one.at, one]));
  const inOrder = [...known.values()].filter(({ at }) => at >= from).sort((one, other) => other.at - one.at);
  return inOrder.slice(0, max);
}
