import type { AttemptState } from '../../contract/outcomes.ts';
import type { Operation, Step } from '../../contract/row-kinds.ts';
import type { ChargeRecord } from '../record-types.ts';
import { amount, integer, json, or, orNull, table, text, time, type LineOf } from './columns.ts';

/** The tables of paid requests and of what they brought. */

/** One line per attempt, that is, per paid request. Its key is the heart of the ledger: an attempt is recorded once, whoever tries. */
export const charges = table(['batch', 'row', 'step', 'take', 'attempt'], {
  batch: text(),
  row: integer(),
  step: text<Step>(),
  take: integer(),
  attempt: integer(),
  /** The take that made what it uses of an earlier step; null: it uses nothing of one. */
  from_take: orNull(integer()),
  /** What it asks the API for, or would have for a copy; null: nothing was to be asked for, or the request was refused before this was kept. */
  operation: orNull(text<Operation>()),
  state: text<AttemptState>(),
  job_id: orNull(text()),
  quoted: orNull(amount()),
  charged: orNull(amount()),
  charged_from: orNull(text<NonNullable<ChargeRecord['chargedFrom']>>()),
  /** The price that an answer reported before the attempt got its verdict. */
  told: orNull(amount()),
  /** `Failure` */
  failure: orNull(json()),
  request_id: orNull(text()),
  link_hash: orNull(text()),
  /** 1: no voice had the name that the request gives; 0: one had it; null: not known, or no voice is made. */
  name_free: orNull(integer<0 | 1>()),
  owner: text(),
  intent_at: time(),
  verdict_at: orNull(time()),
  finished_at: orNull(time()),
  /** When its price was known for good, because its job ended with it: it stays known while the job is read again. Null: not so far. */
  priced_at: orNull(time()),
  /** `ResultFile` */
  file: orNull(json()),
  /** What its result is known by, 43 characters; null: nothing can equal it, or its batch uses no cache. */
  result_key: orNull(text()),
  /** `ResultSource` */
  source: orNull(json()),
  /** 1: it was made because the file of an earlier result was damaged. */
  damaged: integer<0 | 1>(),
  /** `Judgement` */
  judgement: orNull(json()),
});
export type ChargesTable = LineOf<typeof charges>;

/** One line per operation of a batch that was sent under a budget, and per size of the quotes: what was charged beside them. A trigger keeps it. */
export const chargeRatios = table(['batch', 'operation', 'size'], {
  batch: text(),
  operation: text<Operation>(),
  /** The largest quote of this size, in credits; 0: for requests that were quoted at 0. */
  size: amount(),
  /** The step that it was first needed for. */
  step: text<Step>(),
  /** `Price` of the operation in this batch. */
  price: json(),
  /** The largest charge of the API ÷ its quote; 0: none yet. */
  worst: or(0, amount()),
  /** The largest charge of a request that was quoted at 0. */
  unquoted: or(0, amount()),
  /** Requests that ended and whose charge the API has told. */
  told: or(0, integer()),
  /** Requests that ended, told or not. */
  ended: or(0, integer()),
  /** `worst` of the account's earlier batches at the same price; 0: they show nothing. */
  earlier: or(0, amount()),
});
export type ChargeRatiosTable = LineOf<typeof chargeRatios>;

/** One line per stored result that later rows may use: of an attempt that made it, or that used it in turn. */
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
  /** Length of all its files. */
  bytes: integer(),
  made_at: time(),
  used_at: time(),
});
export type ResultsTable = LineOf<typeof results>;
