import type { Operation } from '../../contract/row-kinds.ts';
import type { Json } from './json.ts';

/** The tables of what processes share: who they are, what they hold, and what they have learnt. */

/** One line per worker process. */
export interface WorkersTable {
  owner: string;
  api_url: string;
  account: string;
  seen_at: number;
  /** Why it ended, if it could not go on; null: it lives, or nobody knows. */
  ended_because: string | null;
}

/** One line per lane with a holder. */
export interface LanesTable {
  batch: string;
  lane: number;
  /** Run of the batch workflow. */
  run: string;
  /** Raised whenever somebody acquires a lane of the batch. */
  token: number;
  /** The worker process that has it. */
  owner: string;
  taken_at: number;
}

export interface LimitersTable {
  scope: string;
  state: Json;
}

/** One line per account whose webhook a process uses. */
export interface WebhooksTable {
  api_url: string;
  account: string;
  /** The worker process that uses it. */
  owner: string;
  /** The address that it sets; null: none yet. It holds a secret. */
  address: string | null;
  /** `WebhookBefore`, and the earlier addresses of ours */
  before: Json | null;
  taken_at: number;
}

/** One line per operation of an account whose longest text was learnt from a refusal. */
export interface TextLimitsTable {
  api_url: string;
  account: string;
  operation: Operation;
  /** Characters. */
  most: number;
  learnt_at: number;
}
