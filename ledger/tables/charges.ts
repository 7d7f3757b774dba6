import type { Generated } from 'kysely';
import type { AttemptState } from '../../contract/outcomes.ts';
import type { Operation, Step } from '../../contract/row-kinds.ts';
import type { ChargeRecord } from '../record-types.ts';
import type { Json } from './json.ts';

/** The tables of paid requests and of what they brought. */

export interface ChargesTable {
  batch: string;
  row: number;
  step: Step;
  take: number;
  attempt: number;
  /** The take that made what it uses of an earlier step; null: it uses nothing of one. */
  from_take: number | null;
  /** What it asks the API for, or would have for a copy; null: nothing was to be asked for, or the request was refused before this was kept. */
  operation: Operation | null;
  state: AttemptState;
  job_id: string | null;
  quoted: number | null;
  charged: number | null;
  charged_from: ChargeRecord['chargedFrom'];
  /** The price that an answer reported before the attempt got its verdict. */
  told: number | null;
  /** `Failure` */
  failure: Json | null;
  request_id: string | null;
  link_hash: string | null;
  /** 1: no voice had the name that the request gives; 0: one had it; null: not known, or no voice is made. */
  name_free: 0 | 1 | null;
  owner: string;
  intent_at: number;
  verdict_at: number | null;
  finished_at: number | null;
  /** When its price was known for good, because its job ended with it: it stays known while the job is read again. Null: not so far. */
  priced_at: number | null;
  /** `ResultFile` */
  file: Json | null;
  /** What its result is known by, 43 characters; null: nothing can equal it, or its batch uses no cache. */
  result_key: string | null;
  /** `ResultSource` */
  source: Json | null;
  /** `Judgement` */
  judgement: Json | null;
}

/** One line per operation of a batch that was sent under a budget, and per size of the quotes: what was charged beside them. A trigger maintains it. */
export interface ChargeRatiosTable {
  batch: string;
  operation: Operation;
  /** The largest quote of this size, in credits; 0: for requests that were quoted at 0. */
  size: number;
  /** The step that it was first needed for. */
  step: Step;
  /** The largest charge of the API ÷ its quote; 0: none yet. */
  worst: Generated<number>;
  /** The largest charge of a request that was quoted at 0. */
  unquoted: Generated<number>;
  /** Requests that ended and whose charge the API has told. */
  told: Generated<number>;
  /** Requests that ended, told or not. */
  ended: Generated<number>;
  /** `worst` of the account's earlier batches at the same price; 0: they show nothing. */
  earlier: Generated<number>;
}

/** One line per stored result that later rows may use: of an attempt that made it, or that used it in turn. */
export interface ResultsTable {
  key: string;
  batch: string;
  row: number;
  step: Step;
  take: number;
  attempt: number;
  /** `ResultFile` */
  file: Json;
  /** `ResultFile[]` */
  extra_files: Json | null;
  text: string | null;
  job_id: string | null;
  /** What was charged for it when it was made. */
  credits: number | null;
  /** Length of all its files. */
  bytes: number;
  made_at: number;
  used_at: number;
}
