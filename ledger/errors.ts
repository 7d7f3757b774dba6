import { exportLedgerCommand, shellWord } from '../contract/shell-word.ts';
import type { WhyReadOnly } from './copy/read-only.ts';
import type { MonthSpend } from '../policy/schedules/month-budget.ts';

/*
 * The errors of the ledger. Several are about a *copy*: a database that is not the one in which the ledger was last
 * written, because a backup was restored or a replica took over. A person can accept it as the ledger.
 */

/** Why no worker uses a copy of the database that nobody has accepted. Part of a sentence. */
export const UNACCEPTED = 'it is a copy that nobody has accepted, and may lack the last records';
/** Advice for a batch of an accepted copy: what to do before anything is sent from it. */
export function compareFirst(batch: string): string {
  return `Its ledger is a copy that was accepted, so nothing is sent until you have compared it with what was sent since: ${compareCommands(batch)}`;
}

/** The commands that compare an accepted copy with the store and the account, in order. `batch`: null for any. */
function compareCommands(batch: string | null): string {
  const name = batch === null ? 'BATCH' : shellWord(batch);
  return `voxbatch ledger compare-store, then voxbatch reconcile ${name}, then voxbatch ledger accept-copy --compared`;
}

/** Advice for an address at which a copy of the ledger's database answers. */
export const FORMER_OR_ACCEPT = 'Connect to the former database; or, if that is lost: voxbatch ledger accept-copy';

/**
 * The ledger cannot be opened, created, read or written. Nothing may be sent meanwhile: without a recorded intent no
 * request goes out.
 */
export class LedgerUnreachable extends Error {
  /** Path of the ledger, or its URL without secrets. */
  readonly path: string;

  /** `problem`: part of a sentence. `advice`: a sentence, what the user can do. */
  constructor(path: string, problem: string, advice: string, cause?: unknown) {
    super(`The ledger ${path} cannot be used: ${problem}. ${advice}`, cause === undefined ? {} : { cause });
    this.name = 'LedgerUnreachable';
    this.path = path;
  }
}

/**
 * The ledger's database does not answer, which may pass: its server restarts, or the connection is cut. The failed call
 * changed nothing. Processes that work on batches wait for the database and see this error only when they must end.
 */
export class LedgerAway extends LedgerUnreachable {
  /** True if waiting does not help until a person has fixed something. */
  readonly needsPerson: boolean;

  constructor(path: string, problem: string, advice: string, cause?: unknown, needsPerson = false) {
    super(path, problem, advice, cause);
    this.name = 'LedgerAway';
    this.needsPerson = needsPerson;
  }
}

/** The database user lacks a right that this command needs, and never had it. Nothing was changed. */
export class LedgerForbidden extends LedgerUnreachable {
  constructor(path: string, problem: string, advice: string, cause?: unknown) {
    super(path, problem, advice, cause);
    this.name = 'LedgerForbidden';
  }
}

/**
 * The answer to a commit was lost and the database did not come back in time, so nobody knows whether the change was
 * recorded. It must not be repeated before somebody has checked.
 */
export class CommitUnknown extends LedgerUnreachable {
  constructor(path: string, cause: unknown) {
    const problem = 'the line to the database broke at a commit, and it is not known whether that was kept';
    super(path, problem, 'Look before you repeat it, once the server answers: voxbatch list', cause);
    this.name = 'CommitUnknown';
  }
}

/** Why an accepted copy of the database may lack requests that were sent since it was made. */
export interface CopyDoubts {
  /** The batch that something was to be sent of; null: what is about no batch. */
  readonly batch: string | null;
  /** Processes that may have sent requests which they have not recorded again. */
  readonly senders: number;
  /** Whether there may be other such processes, which the copy does not name. */
  readonly mayBeMore: boolean;
  /** Number of requests of the batch for which the copy has no row or take. */
  readonly unplaced: number;
  /** The first of those requests, in words. */
  readonly named: readonly string[];
}

/** An accepted copy of the database may lack requests that were sent since it was made. Nothing was changed. */
export class CopyInDoubt extends Error {
  /** The command that a person has to run first; waiting may not help. */
  readonly prerequisite = 'voxbatch ledger compare-store';

  constructor({ batch, senders, mayBeMore, unplaced, named }: CopyDoubts) {
    const missing = `${senders} of the processes that wrote before it was accepted have not put on record again what they had sent; a worker that still runs does so within seconds, as far as it remembers (10,000 requests)`;
    const unseen = 'requests that were sent after it was made may be missing from it';
    const more = unplaced > named.length ? ', …' : '';
    const seen = `requests that were sent have no place in it (${unplaced} of this batch: ${named.join(', ')}${more})`;
    const doubts = [senders > 0 && missing, mayBeMore && unseen, unplaced > 0 && seen];
    const why = doubts.filter((one) => one !== false).join('; and ');
    super(
      `The ledger is a copy that was accepted: ${why}. Rows could be paid for a second time, so nothing was changed, and nothing is sent. ` +
        `${senders > 0 ? 'Repeat this command once they have. If they are dead, compare' : 'First compare'} the copy with what was sent since, and the jobs of your account with ${unplaced > 0 ? 'what is named here' : 'its rows'}: ${compareCommands(batch)}`,
    );
    this.name = 'CopyInDoubt';
  }
}

/** The ledger's disk is full, has too little room to send anything, or failed a write, as with an exhausted quota. */
export class LedgerFull extends LedgerUnreachable {
  constructor(path: string, problem: string, advice: string, cause?: unknown) {
    super(path, problem, advice, cause);
    this.name = 'LedgerFull';
  }
}

/** There is no ledger where one must exist: nothing was ever run here. */
export class LedgerMissing extends Error {
  /** The path that was tried. */
  readonly path: string;

  constructor(path: string) {
    super(
      `There is no ledger at ${path}: no batch was run from here. Go to the folder where you ran it, ` +
        'set VOXBATCH_HOME or VOXBATCH_LEDGER, or start one with `voxbatch run`.',
    );
    this.name = 'LedgerMissing';
    this.path = path;
  }
}

/** The ledger was made by a newer version of voxbatch. Nothing in it was changed. */
export class LedgerTooNew extends Error {
  /** Where the ledger is. */
  readonly path: string;

  constructor(path: string, unknownVersion: string) {
    super(
      `The ledger ${path} was made by a newer version of voxbatch (it has "${unknownVersion}", which this version does not know). ` +
        'Nothing was changed. Use that newer version.',
    );
    this.name = 'LedgerTooNew';
    this.path = path;
  }
}

/**
 * The ledger has moved to another place, is an unfinished copy, or is a backup that nobody has accepted. Nothing can be
 * recorded in it, so nothing is sent.
 */
export class LedgerReadOnly extends Error {
  /** Where the ledger is. */
  readonly path: string;
  readonly why: WhyReadOnly;
  /** The command that a person has to run first; waiting does not help. */
  readonly prerequisite: string;

  constructor(path: string, why: WhyReadOnly, cause?: unknown) {
    super(`${readOnlyWords(path, why)} Nothing was changed. ${readOnlyAdvice(path, why)}`, { cause });
    this.name = 'LedgerReadOnly';
    this.path = path;
    this.why = why;
    this.prerequisite = readOnlyNext(path, why);
  }
}

/** Returns a sentence that says why a ledger is read-only. */
export function readOnlyWords(path: string, why: WhyReadOnly): string {
  const time = new Date(why.at).toISOString();
  switch (why.type) {
    case 'moved':
      return `The ledger ${path} has moved to ${why.place} (${time}).`;
    case 'incoming':
      return `The ledger ${path} is being filled from ${why.place}, and that has not ended.`;
    case 'backup':
      return `The ledger ${path} is the backup of ${time}, and nobody has accepted it: what was sent since is not on record, and would be paid for again.`;
  }
}

/** Returns advice for a read-only ledger: where work goes on, or the command that makes it writable. */
export function readOnlyAdvice(path: string, why: WhyReadOnly): string {
  switch (why.type) {
    case 'moved':
      return `Work goes on there: ${readOnlyNext(path, why)}.`;
    case 'incoming':
      return `Finish that: ${readOnlyNext(path, why)}`;
    case 'backup':
      return `If the former ledger is lost, accept it, which pauses its batches: ${readOnlyNext(path, why)}`;
  }
}

/** The command, or the environment variable to set, that {@link readOnlyAdvice} ends with. */
function readOnlyNext(path: string, why: WhyReadOnly): string {
  switch (why.type) {
    case 'moved':
      return exportLedgerCommand(why.place);
    case 'incoming':
      return `voxbatch ledger copy ${shellWord(why.place)} ${shellWord(path)}`;
    case 'backup':
      return 'voxbatch ledger accept-copy';
  }
}

/** A batch of this name exists already. */
export class BatchExists extends Error {
  constructor(batch: string) {
    super(`There is a batch "${batch}" in this ledger already. Nothing was changed.`);
    this.name = 'BatchExists';
  }
}

/**
 * A process that was loading a batch's rows has lost the batch: another one loads it now or has removed it, or rows are
 * missing. Nothing that this process loaded takes effect.
 */
export class LoadTakenOver extends Error {
  constructor(batch: string, problem = `another start loads batch "${batch}" now, or has removed it`) {
    super(
      `The rows of this manifest were not loaded: ${problem}. That can only be where the lock of loading was lost meanwhile, ` +
        'because the database restarted or the line to it was cut. Run the same command again: it loads all rows, or follows the batch that has them.',
    );
    this.name = 'LoadTakenOver';
  }
}

/** A month's budget is used up: not even one row of a new batch would fit. The batch was not created. */
export class MonthUsedUp extends Error {
  /** The month's budget and spending. */
  readonly spend: MonthSpend;

  constructor(spend: MonthSpend) {
    super(`Of ${spend.credits} credits for the month ${spend.left} are left, which does not cover even one row.`);
    this.name = 'MonthUsedUp';
    this.spend = spend;
  }
}

/** The table already has a line with this key, which was not changed. */
export class DuplicateKey extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'DuplicateKey';
  }
}

/** The workers of another Temporal server use the ledger. Workers of two servers could pay for one row twice. */
export class LedgerInUse extends Error {
  /** Where the ledger is. */
  readonly path: string;
  /** Address of the server whose workers use it. */
  readonly holder: string;

  constructor(place: string, holder: string) {
    super(`The ledger ${place} is in use by workers of another Temporal server, ${holder}.`);
    this.name = 'LedgerInUse';
    this.path = place;
    this.holder = holder;
  }
}

/** Two rows of a batch share a number or an id. None of the rows in the same call was added. */
export class DuplicateRow extends Error {
  constructor(batch: string, cause: unknown) {
    super(`Two rows of batch "${batch}" have one id or one number. None of these rows was added.`, { cause });
    this.name = 'DuplicateRow';
  }
}

/** A call makes no sense for what the ledger holds, e.g. it names a row that does not exist. Nothing was changed. */
export class LedgerMisuse extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LedgerMisuse';
  }
}
