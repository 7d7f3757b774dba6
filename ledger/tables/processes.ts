import type { WorkerDuty } from '../../contract/worker-duty.ts';
import type { Operation } from '../../contract/row-kinds.ts';
import { integer, json, orNull, table, text, time } from './columns.ts';

/*
 * The tables that processes share: which are alive, what each holds, and what they have learnt.
 */

/** One line per fact about the ledger itself, such as its random `id`; see `database/facts.ts`. */
export const facts = table(['name'], { name: text(), value: text() });

/** One line per worker process. */
export const workers = table(['owner'], {
  owner: text(),
  api_url: text(),
  account: text(),
  seen_at: time(),
  /** Why it ended, if it could not continue; null if it is alive or the reason is unknown. */
  ended_because: orNull(text()),
});

/** One line per worker process with a single duty (`worker --only`); other workers have all duties. */
export const workerDuties = table(['owner'], { owner: text(), duty: text<WorkerDuty>() });

/** One line per lane that ever had a holder. */
export const lanes = table(['batch', 'lane'], {
  batch: text(),
  lane: integer(),
  /** Run of the batch workflow. */
  run: text(),
  /** Fencing token: raised whenever somebody acquires a lane of the batch, so that former holders can be told apart. */
  token: integer(),
  /** The worker process that has it. */
  owner: text(),
  taken_at: time(),
});

/**
 * One line per rate limit that all workers share. `scope`: API, account and class of calls; `state`: its leases and
 * what was learned about the limit (`limiters.ts`).
 */
export const limiters = table(['scope'], { scope: text(), state: json() });

/** One line per account whose webhook a process uses. */
export const webhooks = table(['api_url', 'account'], {
  api_url: text(),
  account: text(),
  /** The worker process that uses it. */
  owner: text(),
  /** The webhook address it sets, which contains a secret; null if none yet. */
  address: orNull(text()),
  /** The address that the account had before, to restore it, and addresses that dead processes had set. */
  before: orNull(json()),
  taken_at: time(),
});

/** One line per hint: a webhook about a job that another process waits for, until that process has read the hint. */
export const jobHints = table(['owner', 'job_id'], {
  /** The worker process that holds the job's row. */
  owner: text(),
  job_id: text(),
  heard_at: time(),
});

/** One line per operation of an account whose longest text was learnt from a refusal. */
export const textLimits = table(['api_url', 'account', 'operation'], {
  api_url: text(),
  account: text(),
  operation: text<Operation>(),
  /** Characters. */
  most: integer(),
  learnt_at: time(),
});
