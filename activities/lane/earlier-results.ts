import type { FencedAttempt, AttemptKey } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
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
 * Finds and reuses earlier results for one row while a lane holds it, and supplies the cache keys under which later
 * rows find its own. A step's cache key is derived from everything that its request depends on; a step has none if the
 * media behind a link cannot be identified.
 */
export class EarlierResults {
  readonly #deps: Dependencies;
  readonly #batch: string;
  /** Requests of other rows that this row no longer waits for. */
  readonly passedOver = new PassedOver();
  /** The media identities read last, and the links that they belong to. */
  #media: { readonly urls: string; readonly identities: ReadonlyMap<string, MediaIdentity> } | undefined;
  /** The cache keys computed so far, and what they depend on. `checked`: hash of the speech, for rows with a check. */
  readonly #cacheKeys = new Map<
    Step,
    { readonly spec: RowSpec; readonly checked: string | undefined; readonly resultKey: string | undefined }
  >();
  /** The earlier result whose stored file turned out to be damaged; recorded with the request that replaces it. */
  #damaged: ResultSource | undefined;

  constructor(deps: Dependencies, batch: string) {
    this.#deps = deps;
    this.#batch = batch;
  }

  /** Returns whether the batch uses earlier results now. A user may change that at any time. */
  async usesEarlier(): Promise<boolean> {
    return reusesResults((await this.#read()).settings.cache);
  }

  /**
   * Reuses earlier results for a row due for sending: that of its last step, which ends the row, or else that of its
   * next step, and then of the steps after it. Returns what the row needs then. Without an earlier result the row still
   * needs its request, or ends `skipped` if the batch pays for nothing (`--cache only`).
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

  /**
   * Returns the cache terms recorded with the request of a due row: its cache key, and whether a result may replace it.
   */
  async termsOf({ key, snapshot }: DueRow): Promise<ResultTerms> {
    const batch = await this.#read();
    // The row may have waited long, and the media behind its links may have changed: identify them again.
    if (this.#media !== undefined && this.#media.identities.size > 0) this.#forgetCacheKeys();
    const resultKey = await this.#cacheKeyOf(batch, snapshot, key.step);
    if (resultKey === undefined || !(await this.#hasExpectedSource(batch, { key, snapshot }))) return {};
    const isWanted = (await this.usesEarlier()) && mayReuse(snapshot.row, snapshot.charges, key.step, resultKey);
    const damaged = this.#damaged;
    const source = damaged === undefined || isDamageRecorded(snapshot.charges, key, damaged.from) ? undefined : damaged;
    return {
      resultKey,
      ...(isWanted ? { reuse: { passOver: this.passedOver.attempts } } : {}),
      ...defined({ source }),
    };
  }

  /**
   * Tries to reuse one earlier result, that of the last step first. Returns the row's snapshot then; undefined if there
   * is no usable result. `tried`: names of the results tried so far.
   */
  async #useOne(batch: BatchRecord, due: DueRow, tried: Set<string>): Promise<RowSnapshot | undefined> {
    const wanted = await this.#reusableSteps(batch, due);
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

  /**
   * Returns the steps that could use an earlier result: for each, its cache key, and the credits that it would save.
   */
  async #reusableSteps(
    batch: BatchRecord,
    { key, snapshot }: DueRow,
  ): Promise<readonly { readonly key: FencedAttempt; readonly resultKey: string; readonly saved: number | null }[]> {
    const { row, charges } = snapshot;
    // Before a check has passed, later steps have no key: another row's result may stem from speech that did not pass.
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
      steps.map(async (one) => ({ ...one, resultKey: await this.#cacheKeyOf(batch, snapshot, one.key.step) })),
    );
    return keyed.flatMap(({ resultKey, ...one }) =>
      resultKey !== undefined && mayReuse(row, charges, one.key.step, resultKey) ? [{ ...one, resultKey }] : [],
    );
  }

  /** Returns whether the earlier step that a step builds on really has the result that the step's key assumes. */
  async #hasExpectedSource(batch: BatchRecord, { key, snapshot: { row, charges } }: DueRow): Promise<boolean> {
    const link = linkOf(row.kind, key.step);
    // For rows with a check, the key includes the checked file itself.
    if (link === undefined || row.spec.verify !== undefined) return true;
    const source = await this.#cacheKeyOf(batch, { row, charges }, link.of);
    return source !== undefined && matchesCacheKey(row, charges, link.of, source);
  }

  /** Returns the cache key of a step; undefined if it has none, or the cache is off. */
  async #cacheKeyOf(batch: BatchRecord, { row, charges }: RowSnapshot, step: Step): Promise<string | undefined> {
    if (batch.settings.cache === 'off') return undefined;
    const { spec, take } = row;
    const checked = checkedFile(row, charges);
    const known = this.#cacheKeys.get(step);
    if (known?.spec === spec && known.checked === checked?.sha256) return known.resultKey;
    const links = mediaUrlsOf(spec);
    const urls = links.join(' ');
    if (this.#media?.urls !== urls) {
      const identities = await this.#deps.media.of(links, `${batch.name}/${String(take)}`);
      this.#media = { urls, identities };
    }
    const resultKey = stepKey(batch, spec, step, { media: this.#media.identities, made: checked?.files });
    this.#cacheKeys.set(step, { spec, resultKey, checked: checked?.sha256 });
    return resultKey;
  }

  #forgetCacheKeys(): void {
    this.#media = undefined;
    this.#cacheKeys.clear();
  }

  /** Ends a row that has no earlier result in a batch that pays for nothing. */
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

/**
 * Returns the hash of the file that a row's check is about (its speech), also by step. Undefined if the row has no
 * check, or the file does not exist yet.
 */
function checkedFile(
  row: RowSnapshot['row'],
  charges: RowSnapshot['charges'],
): { readonly sha256: string; readonly files: ReadonlyMap<Step, string> } | undefined {
  const { spec } = row;
  if (spec.verify === undefined) return undefined;
  const [of] = stepsIn(spec).flatMap((step) => checkedStepOf(spec.kind, step) ?? []);
  const sha256 = of && usedAttempt(row, charges, of)?.file?.sha256;
  return of === undefined || sha256 === undefined ? undefined : { sha256, files: new Map([[of, sha256]]) };
}

/**
 * Collects the requests of other rows that a row no longer waits for, because no worker has worked on them for long.
 */
class PassedOver {
  readonly attempts: AttemptKey[] = [];
  #watch: Watch | undefined;

  /**
   * Notes that the row waits for this attempt, and passes it over once it has been unattended for a minute. `now`: ms.
   */
  add({ isAttended, ...attempt }: MakingAttempt, now: number): void {
    this.#watch = updateWatch(this.#watch, { attempt: attemptName(attempt), isAttended }, now);
    if (shouldStopWaiting(this.#watch, now)) this.attempts.push(attempt);
  }
}
