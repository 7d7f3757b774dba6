import type { FencedAttempt, AttemptKey } from '../../contract/batch.ts';
import { reusesResults } from '../../contract/cache-modes.ts';
import { checkedStepOf, linkOf, resultStepOf, stepsIn, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import { stepKey } from '../../batches/cache/result-keys.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ResultSource } from '../../ledger/requests/charge-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { quoteFrom } from '../../policy/money/pricing.ts';
import { mediaUrlsOf, type MediaIdentity } from '../../policy/cache/result-key.ts';
import { matchesCacheKey, isDamageRecorded, mayReuse } from '../../policy/cache/result-reuse.ts';
import { usedAttempt } from '../../policy/rows/row-machine.ts';
import { attemptName, nextMoveFor, type DueRow, type RowProgress } from '../attempt.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import type { Dependencies } from '../dependencies.ts';
import type { ResultTerms } from '../send.ts';
import { reuseResult } from './reuse-result.ts';
import type { MakingAttempt } from '../../ledger/cache/found-results.ts';
import { shouldStopWaiting, updateWatch, type Watch } from '../../policy/cache/awaited-result.ts';

/**
 * Earlier results for one row while a lane holds it: gives it those that exist, and names its own so that later
 * rows find them. Each step has a cache key, or none if the media behind a link cannot be identified.
 */
export class EarlierResults {
  readonly #deps: Dependencies;
  readonly #batch: string;
  readonly passedOver = new PassedOver();
  /** The media identities last looked up. */
  #media: { readonly urls: string; readonly identities: ReadonlyMap<string, MediaIdentity> } | undefined;
  readonly #keys = new Map<
    Step,
    { readonly spec: RowSpec; readonly made: string | undefined; readonly key: string | undefined }
  >();
  #damaged: ResultSource | undefined;

  constructor(deps: Dependencies, batch: string) {
    this.#deps = deps;
    this.#batch = batch;
  }

  /** Whether the batch currently uses earlier results; a person may change that at any time. */
  async usesEarlier(): Promise<boolean> {
    return reusesResults((await this.#read()).settings.cache);
  }

  /**
   * Gives a due row the earlier results that exist: that of its last step, which ends the row, or else that of its
   * present step, continuing with the next. Without any, the row stays as it is, or ends `skipped` if the batch pays
   * for nothing.
   */
  async use(due: DueRow): Promise<RowProgress> {
    const batch = await this.#read();
    let now: RowProgress = { next: nextMoveFor(due.key, due.snapshot), snapshot: due.snapshot };
    const tried = new Set<string>();
    while (now.next.type === 'submit' && now.snapshot !== undefined) {
      const key: FencedAttempt = { batch: this.#batch, ...now.next.at };
      const taken = await this.#useOne(batch, { key, snapshot: now.snapshot }, tried);
      if (taken !== undefined) now = { next: nextMoveFor(key, taken), snapshot: taken };
      else if (batch.settings.cache !== 'only') return now;
      else return this.#skip(key);
    }
    return now;
  }

  /** The result terms recorded with a request. */
  async termsOf({ key, snapshot }: DueRow): Promise<ResultTerms> {
    const batch = await this.#read();
    // The row may have waited long: record the media behind its links now.
    if (this.#media !== undefined && this.#media.identities.size > 0) this.#forgetKeys();
    const resultKey = await this.#keyOf(batch, snapshot, key.step);
    if (resultKey === undefined || !(await this.#isOfItsSource(batch, { key, snapshot }))) return {};
    const isWanted = (await this.usesEarlier()) && mayReuse(snapshot.row, snapshot.charges, key.step, resultKey);
    return {
      resultKey,
      ...(isWanted ? { reuse: { passOver: this.passedOver.attempts } } : {}),
      ...(this.#damaged === undefined || isDamageRecorded(snapshot.charges, key, this.#damaged.from)
        ? {}
        : { source: this.#damaged }),
    };
  }

  /** Tries the available results for a row, last step first; undefined if none can be used. */
  async #useOne(batch: BatchRecord, due: DueRow, tried: Set<string>): Promise<RowSnapshot | undefined> {
    const wanted = await this.#wantedOf(batch, due);
    const found = await this.#deps.resultLookUps.find(wanted.map(({ resultKey }) => resultKey));
    for (const { key, resultKey, saved } of wanted) {
      for (const result of found.get(resultKey) ?? []) {
        if (tried.has(attemptName(result))) continue;
        tried.add(attemptName(result));
        const answer = await reuseResult(this.#deps, batch, { key, snapshot: due.snapshot }, result, saved);
        if (answer.type === 'damaged') this.#damaged = answer.source;
        else if (answer.snapshot.used || nextMoveFor(key, answer.snapshot).type !== 'submit') return answer.snapshot;
      }
    }
    return undefined;
  }

  /** The steps that could use an earlier result, with the credits each would save. */
  async #wantedOf(
    batch: BatchRecord,
    { key, snapshot }: DueRow,
  ): Promise<readonly { readonly key: FencedAttempt; readonly resultKey: string; readonly saved: number | null }[]> {
    const { row, charges } = snapshot;
    // Steps after a check cannot be keyed before it: another row's result may stem from speech that did not pass.
    const last = row.spec.verify === undefined ? resultStepOf(row) : key.step;
    const { quoted, quotedRest } = quoteFrom(row.kind, key.step, row.spec, batch.settings);
    const all = quoted === null || quotedRest === null ? null : quoted + quotedRest;
    const steps =
      last === key.step
        ? [{ key, saved: quoted }]
        : [
            { key: { ...key, step: last, attempt: 1 }, saved: all },
            { key, saved: quoted },
          ];
    const keyed = await Promise.all(
      steps.map(async (one) => ({ ...one, resultKey: await this.#keyOf(batch, snapshot, one.key.step) })),
    );
    return keyed.flatMap(({ resultKey, ...one }) =>
      resultKey !== undefined && mayReuse(row, charges, one.key.step, resultKey) ? [{ ...one, resultKey }] : [],
    );
  }

  /** Whether the earlier step that this one needs really produced the result that the key assumes. */
  async #isOfItsSource(batch: BatchRecord, { key, snapshot: { row, charges } }: DueRow): Promise<boolean> {
    const link = linkOf(row.kind, key.step);
    // With a check, the key includes the checked file.
    if (link === undefined || row.spec.verify !== undefined) return true;
    const source = await this.#keyOf(batch, { row, charges }, link.of);
    return source !== undefined && matchesCacheKey(row, charges, link.of, source);
  }

  async #keyOf(batch: BatchRecord, { row, charges }: RowSnapshot, step: Step): Promise<string | undefined> {
    if (batch.settings.cache === 'off') return undefined;
    const { spec, take } = row;
    const made = madeBy(row, charges);
    const known = this.#keys.get(step);
    if (known?.spec === spec && known.made === made?.key) return known.key;
    const links = mediaUrlsOf(spec);
    const urls = links.join(' ');
    if (this.#media?.urls !== urls) {
      const identities = await this.#deps.media.of(links, `${batch.name}/${String(take)}`);
      this.#media = { urls, identities };
    }
    const key = stepKey(batch, spec, step, { media: this.#media.identities, made: made?.files });
    this.#keys.set(step, { spec, key, made: made?.key });
    return key;
  }

  #forgetKeys(): void {
    this.#media = undefined;
    this.#keys.clear();
  }

  /** Ends a row that may not be paid for and has no earlier result. */
  async #skip(key: FencedAttempt): Promise<RowProgress> {
    const message = 'No earlier result fits, and this batch sends no requests (--cache only). Nothing was sent.';
    const snapshot = await this.#deps.ledger.giveUp(key, {
      outcome: 'skipped',
      failure: { class: 'NotCached', message },
    });
    return { next: nextMoveFor(key, snapshot), snapshot };
  }

  #read(): Promise<BatchRecord> {
    return loadBatch(this.#deps, this.#batch);
  }
}

/** The files made so far by the steps of a row with a check; undefined if it has no check or no files yet. */
function madeBy(
  row: RowSnapshot['row'],
  charges: RowSnapshot['charges'],
): { readonly key: string; readonly files: ReadonlyMap<Step, string> } | undefined {
  const { spec } = row;
  if (spec.verify === undefined) return undefined;
  const [of] = stepsIn(spec).flatMap((step) => checkedStepOf(spec.kind, step) ?? []);
  const file = of === undefined ? null : (usedAttempt(row, charges, of)?.file ?? null);
  return of === undefined || file === null ? undefined : { key: file.sha256, files: new Map([[of, file.sha256]]) };
}

/** Other rows' requests that a row no longer waits for, because nobody works on them. */
class PassedOver {
  readonly attempts: AttemptKey[] = [];
  #watch: Watch | undefined;

  /**
   * The row waits for this attempt, which is passed over once nobody has worked on it for long. `now`: monotonic, ms.
   */
  sees({ isAttended, ...attempt }: MakingAttempt, now: number): void {
    this.#watch = updateWatch(this.#watch, { attempt: attemptName(attempt), isAttended }, now);
    if (shouldStopWaiting(this.#watch, now)) this.attempts.push(attempt);
  }
}
