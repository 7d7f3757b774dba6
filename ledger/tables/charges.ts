import type { AttemptState } from '../../contract/outcomes.ts';
import type { Operation, Step } from '../../contract/row-kinds.ts';
import { amount, integer, json, or, orNull, table, text, time, type LineOf } from './columns.ts';

/** Where the charged price comes from. */
export type PriceSource = 'api' | 'quote';

/*
 * The tables of paid requests and their results. Times are ms since 1970, amounts credits. `ChargeRecord` and
 * `ResultRecord` explain columns that have no comment.
 */

/**
 * One line per attempt, that is, per paid request. The key ensures that an attempt can be recorded only once.
 */
export const charges = table(['batch', 'row', 'step', 'take', 'attempt'], {
  batch: text(),
  row: integer(),
  step: text<Step>(),
  take: integer(),
  attempt: integer(),
  /** The take that produced its input from an earlier step; null if it has no such input. */
  from_take: orNull(integer()),
  /**
   * The requested API operation, or for a reused result, the one it replaces; null if there was none, or if the request
   * was refused before this was recorded.
   */
  operation: orNull(text<Operation>()),
  state: text<AttemptState>(),
  job_id: orNull(text()),
  quoted: orNull(amount()),
  charged: orNull(amount()),
  charged_from: orNull(text<PriceSource>()),
  /** The price that an answer reported before the attempt got its verdict. */
  told: orNull(amount()),
  /** `Failure` */
  failure: orNull(json()),
  request_id: orNull(text()),
  link_hash: orNull(text()),
  /** 1: the requested voice name was free; 0: it was taken; null if unknown, or if the request makes no voice. */
  name_free: orNull(integer<0 | 1>()),
  owner: text(),
  intent_at: time(),
  verdict_at: orNull(time()),
  finished_at: orNull(time()),
  /**
   * When its price became final because its job ended with one; stays set while the job is read again. Null until then.
   */
  priced_at: orNull(time()),
  /** `ResultFile` */
  file: orNull(json()),
  /** Cache key of its result, 43 characters; null if nothing can equal it, or its batch uses no cache. */
  result_key: orNull(text()),
  /** `ResultSource` */
  source: orNull(json()),
  /** 1: it was made because the file of an earlier result was damaged. */
  damaged: integer<0 | 1>(),
  /** `Judgement` */
  judgement: orNull(json()),
});
export type ChargesTable = LineOf<typeof charges>;

/**
 * One line per operation of a batch sent under a budget and per quote size: charges compared with quotes. Maintained by
 * a trigger.
 */
export const chargeRatios = table(['batch', 'operation', 'size'], {
  batch: text(),
  operation: text<Operation>(),
  /** The largest quote of this size, in credits; 0: for requests that were quoted at 0. */
  size: amount(),
  /** The step that it was first needed for. */
  step: text<Step>(),
  /** `Price` of the operation in this batch. */
  price: json(),
  /** The largest ratio of charge to quote; 0 if none yet. */
  worst: or(0, amount()),
  /** The largest charge of a request that was quoted at 0. */
  unquoted: or(0, amount()),
  /** Ended requests whose charge the API reported. */
  told: or(0, integer()),
  /** Ended requests, charge reported or not. */
  ended: or(0, integer()),
  /** `worst` of the account's earlier batches at the same price; 0 if unknown. */
  earlier: or(0, amount()),
});
export type ChargeRatiosTable = LineOf<typeof chargeRatios>;

/** One line per stored result that later rows may use, for the attempt that made it or one that reused it. */
export const results = table(['batch', 'row', 'step', 'take', 'attempt'], {
  key: text(),
  batch: text(),
  row: integer(),
  step: text<Step>(),
  take: integer(),
  attempt: integer(),
  /** `ResultFile` */
  file: json(),
  /** `ResultFile[]` */
  extra_files: orNull(json()),
  text: orNull(text()),
  job_id: orNull(text()),
  /** What was charged for it when it was made. */
  credits: orNull(amount()),
  /** Total size of its files. */
  bytes: integer(),
  made_at: time(),
  used_at: time(),
});
export type ResultsTable = LineOf<typeof results>;
