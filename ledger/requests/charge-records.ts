import type { AttemptKey } from '../../contract/batch.ts';
import type { AttemptState } from '../../contract/outcomes.ts';
import type { ChargeLine } from '../schema.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Judgement } from '../../contract/verify.ts';
import type { PriceSource } from '../tables/charges.ts';
import { type ResultFile, toFailure, toFile } from '../records.ts';

/** An attempt, that is, one paid request, as the ledger records it. Times are ms, prices are credits. */
export interface ChargeRecord extends AttemptKey {
  /** The take that produced its input from an earlier step; null if it has no such input. */
  readonly fromTake: number | null;
  readonly state: AttemptState;
  readonly jobId: string | null;
  readonly quoted: number | null;
  /** Charged credits: the API's figure, or the quote if it gave none. Null unless accepted or done. */
  readonly charged: number | null;
  /** Source of `charged`. Null with a charge of 0: its job is charged to another attempt. */
  readonly chargedFrom: PriceSource | null;
  /**
   * The price that an answer reported before the attempt got its verdict, or that of a job that is charged to another
   * attempt.
   */
  readonly reportedPrice: number | null;
  readonly failure: Failure | null;
  readonly requestId: string | null;
  /** sha256 (hex) of the audio link that a chain's lip-sync got; the link itself is never recorded. */
  readonly linkHash: string | null;
  /** Whether the requested voice name was free right before the request; null if unknown, or if it makes no voice. */
  readonly nameWasFree: boolean | null;
  /** Id of the worker process that recorded the intent. */
  readonly owner: string;
  readonly intentAt: number;
  readonly verdictAt: number | null;
  /** When its job ended, with or without success; if it completed, its result is in the store. Null until then. */
  readonly finishedAt: number | null;
  readonly file: ResultFile | null;
  /** Cache key of its result; null if nothing can equal it, or its batch uses no cache. */
  readonly resultKey: string | null;
  /** The earlier result it used, or the damaged one it could not use. */
  readonly source: ResultSource | null;
  /** For a verification: the result of the comparison with the text; null if there was none. */
  readonly judgement: Judgement | null;
}

/** An earlier result that an attempt used, or could not use. */
export interface ResultSource {
  /** `used`: replaced a request. `missing`, `altered`: its file was damaged, so a request was made. */
  readonly is: 'used' | 'missing' | 'altered';
  /** The attempt whose file it was. */
  readonly from: AttemptKey;
  readonly jobId: string | null;
  /** When it was made, ms. */
  readonly madeAt: number;
  /** Charged credits; null if unknown. */
  readonly credits: number | null;
}

/** Converts a line of `charges`. */
export function toCharge(line: ChargeLine): ChargeRecord {
  return {
    batch: line.batch,
    row: line.row,
    step: line.step,
    take: line.take,
    attempt: line.attempt,
    fromTake: line.from_take,
    state: line.state,
    jobId: line.job_id,
    quoted: line.quoted,
    charged: line.charged,
    chargedFrom: line.charged_from,
    reportedPrice: line.told,
    failure: toFailure(line.failure),
    requestId: line.request_id,
    linkHash: line.link_hash,
    nameWasFree: line.name_free === null ? null : line.name_free === 1,
    owner: line.owner,
    intentAt: line.intent_at,
    verdictAt: line.verdict_at,
    finishedAt: line.finished_at,
    file: toFile(line.file),
    resultKey: line.result_key,
    source: line.source === null ? null : (JSON.parse(line.source) as ResultSource),
    judgement: line.judgement === null ? null : (JSON.parse(line.judgement) as Judgement),
  };
}
