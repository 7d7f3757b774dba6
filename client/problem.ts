import { messageOf } from '../contract/message-of.ts';
import { API_PATH } from '../contract/api-path.ts';
import type { Failure } from '../contract/failures.ts';
import type { UsedBy } from '../inputs/voices/voice-uses.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import type { ForgottenRequests } from '../results/forgotten-requests.ts';
import { LinkedFolder, linkWords } from '../results/real-folders.ts';
import { ServerUnavailable } from '../embedded/server-unavailable.ts';
import { refusalWords as backupRefusalWords, type BackupRefusal } from './backup/refusal.ts';
import type { CopyRefusal } from '../ledger/copy/copy-refused.ts';
import type { Difference } from '../ledger/copy/tally.ts';
import {
  CopyInDoubt,
  LedgerAway,
  LedgerFull,
  LedgerReadOnly,
  LedgerTooNew,
  LedgerUnreachable,
  LoadTakenOver,
} from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';

/** Why a call failed. Nothing was spent. */
export type Problem =
  /** An invalid option. `got`: the value, cut. */
  | { readonly type: 'bad-option'; readonly option: string; readonly expected: string; readonly got: string }
  /** No API is configured, or its URL is invalid. */
  | { readonly type: 'no-api'; readonly why: string }
  /** A config file cannot be used; `cause` says why. */
  | { readonly type: 'bad-config'; readonly cause: unknown }
  /** No batch was ever created with these settings. */
  | { readonly type: 'no-ledger'; readonly ledger: string }
  /** This user has neither made nor confirmed the working folder's ledger on this machine. */
  | { readonly type: 'ledger-unconfirmed'; readonly ledger: string }
  /** The state folder, which records what the user has made and confirmed, cannot be written. */
  | { readonly type: 'state-unwritable'; readonly folder: string; readonly cause: unknown }
  /** There is no batch of this name, or no batch at all if none was named. */
  | { readonly type: 'no-batch'; readonly batch: string | undefined; readonly known: readonly string[] }
  /** The disk, the ledger or the store cannot be used; `cause` says why. */
  | { readonly type: 'machine'; readonly cause: unknown }
  /** The media in the store belong to another ledger. */
  | { readonly type: 'store-of-another'; readonly store: string; readonly ledger: string }
  /** The ledger has another store than this one, so results would be in two. */
  | ({ readonly type: 'other-store'; readonly store: string; readonly ledger: string } & StoreFrom)
  /** The store lacks files of the batch and was never this ledger's: a disk is not mounted, or the folder is wrong. */
  | ({
      readonly type: 'store-missing';
      readonly store: string;
      readonly ledger: string;
      readonly batch: string;
    } & StoreFrom)
  /** The out folder cannot be created or written. */
  | { readonly type: 'unwritable-out'; readonly out: string; readonly cause: unknown }
  /** The out folder holds other files, which the batch would overwrite; `by` says whose. */
  | { readonly type: 'taken-out'; readonly out: string; readonly by: string }
  /** The out folder holds results of this batch from this ledger, which does not have it on record. */
  | { readonly type: 'forgotten-batch'; readonly out: string }
  /** The out folder has paid requests of the batch which the ledger does not have on record. */
  | ({ readonly type: 'forgotten-requests'; readonly batch: string } & ForgottenRequests)
  /** A folder on the out path is a symbolic link, which may have come with somebody else's folder. */
  | { readonly type: 'linked-out'; readonly path: string }
  /** A symbolic link below the out folder, where rows may already have been paid for. */
  | { readonly type: 'linked-below-out'; readonly path: string; readonly cause: Error }
  /** The batch is still being loaded. */
  | { readonly type: 'loading'; readonly batch: BatchRecord }
  /** The rows' inputs were removed, so the batch can neither be redriven nor written. */
  | { readonly type: 'cleaned'; readonly batch: BatchRecord }
  /** A row has no price, so the batch cannot have a budget. */
  | { readonly type: 'no-price'; readonly batch: string; readonly row: number; readonly id: string }
  /** The embedded Temporal server did not start; `cause` says why. */
  | { readonly type: 'no-server'; readonly cause: Error & { readonly advice: string } }
  /** The Temporal cluster does not answer. */
  | { readonly type: 'no-cluster'; readonly address: string; readonly cause: unknown }
  /** Temporal answers, and lets nobody in with this API key, or without one. `says`: in its words. */
  | { readonly type: 'cluster-refused'; readonly address: string; readonly says: string; readonly cause: unknown }
  /** The Temporal cluster has no namespace of this name. */
  | { readonly type: 'no-namespace'; readonly address: string; readonly namespace: string }
  /** Workers of another Temporal server hold the ledger's lock. Two sets of workers could charge a row twice. */
  | { readonly type: 'ledger-in-use'; readonly ledger: string; readonly holder: string }
  /** The ledger cannot be copied to that place, or was before. Neither was changed. */
  | ({ readonly type: 'copy-refused'; readonly refusal: CopyRefusal } & CopiedPlaces)
  /** Workers still have a ledger that is to be copied from or into. */
  | { readonly type: 'copy-held'; readonly ledger: string; readonly holder: string }
  /** The copy of a ledger does not add up. Nothing was moved. */
  | ({ readonly type: 'copy-differs'; readonly differences: readonly Difference[] } & CopiedPlaces)
  /** No backup is made in that folder, or none is put back from it. Nothing was changed. */
  | { readonly type: 'backup-refused'; readonly folder: string; readonly refusal: BackupRefusal }
  /** Another backup of the ledger runs, or somebody works where one is to be put back. */
  | { readonly type: 'backup-held'; readonly ledger: string; readonly by: 'backup' | 'work' }
  /** A file of a backup is not what its manifest says. */
  | { readonly type: 'backup-differs'; readonly file: string; readonly why: string }
  /** Temporal disappeared or stopped answering right after it was found. */
  | { readonly type: 'server-gone'; readonly address: string; readonly cause: Error }
  /** The batch is recorded, but Temporal did not accept it: it hangs, or its disk is full. */
  | { readonly type: 'not-started'; readonly batch: BatchRecord; readonly cause: Error }
  /** The request is recorded, but the workers could not be notified. */
  | { readonly type: 'untold'; readonly cause: unknown }
  /** No HTTP header can carry the token. */
  | { readonly type: 'odd-token'; readonly cause: unknown }
  /** The local webhook port cannot be listened on; `code`: the system's error code. */
  | { readonly type: 'no-webhook-port'; readonly host: string; readonly port: number; readonly code: string }
  /** The port for local media cannot be listened on; `code`: the system's error code. */
  | { readonly type: 'no-media-port'; readonly host: string; readonly port: number; readonly code: string }
  /** The port of metrics and probes cannot be listened on; `code`: the system's error code. */
  | { readonly type: 'no-metrics-port'; readonly host: string; readonly port: number; readonly code: string }
  /** The proxy in `HTTPS_PROXY` or `HTTP_PROXY` is unusable, or would see the token. */
  | { readonly type: 'odd-proxy'; readonly cause: Error }
  /** The API refuses the token. */
  | { readonly type: 'token-refused'; readonly apiUrl: string; readonly failure: Failure }
  /** The API does not answer, or does not return the account's profile. */
  | { readonly type: 'api-away'; readonly apiUrl: string; readonly failure: Failure }
  /** The manifest refers to voices by name (`name:…`), and the API's voice list cannot be read to resolve them. */
  | { readonly type: 'voices-unread'; readonly why: string; readonly names: number; readonly first: UsedBy }
  /** The API serves no readable OpenAPI document. */
  | { readonly type: 'no-schema'; readonly apiUrl: string; readonly why: string }
  /** There is no schedule of this name. */
  | { readonly type: 'no-schedule'; readonly schedule: string; readonly known: readonly string[] }
  /** The schedule is on record, and Temporal does not know it. */
  | { readonly type: 'schedule-lost'; readonly schedule: string }
  /** There is a schedule of this name already. */
  | { readonly type: 'schedule-taken'; readonly schedule: string }
  /** Temporal rejects the schedule; `cause` says why. */
  | { readonly type: 'schedule-refused'; readonly schedule: string; readonly cause: Error }
  /** Temporal does not answer; the schedule may or may not have been changed. */
  | { readonly type: 'schedule-silent'; readonly schedule: string | undefined; readonly cause: Error }
  /** The batch belongs to another API or account than this token. */
  | {
      readonly type: 'other-realm';
      readonly differs: 'api' | 'account';
      readonly batch: Pick<BatchRecord, 'name' | 'apiUrl' | 'account'>;
      readonly here: { readonly apiUrl: string; readonly account: string };
    };

/** The two sides of a copy. */
interface CopiedPlaces {
  readonly from: string;
  readonly to: string;
}

/** Thrown if a call cannot be carried out. Nothing was spent on it. */
export class VoxbatchError extends Error {
  override readonly name = 'VoxbatchError';
  /** What went wrong. */
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(sentenceFor(problem), 'cause' in problem ? { cause: problem.cause } : {});
    this.problem = problem;
  }
}

/** Converts a thrown value to a {@link VoxbatchError}; undefined if it is not one. */
export function asVoxbatchError(error: unknown): VoxbatchError | undefined {
  if (error instanceof LinkedFolder)
    return new VoxbatchError({ type: 'linked-below-out', path: error.path, cause: error });
  return error instanceof VoxbatchError ? error : undefined;
}

function sentenceFor(problem: Problem): string {
  // Each entry takes its own type's problem; the compiler cannot see that through the table.
  const sentence: (problem: never) => string = SENTENCES[problem.type];
  return sentence(problem as never);
}

/** Rows named in a message. */
const MOST_NAMED = 5;

/** `isUnset`: `VOXBATCH_STORE` is not set where the command runs, so the store is that of the folder. Default: false. */
interface StoreFrom {
  readonly isUnset?: boolean;
}

const SENTENCES: { readonly [T in Problem['type']]: (problem: Extract<Problem, { readonly type: T }>) => string } = {
  'bad-option': (problem) => `Option ${problem.option}: expected ${problem.expected}, but got ${problem.got}.`,
  'no-api': (problem) => `${problem.why}. Expected its address, which ends in ${API_PATH}, and a token.`,
  'bad-config': ({ cause }) => messageOf(cause).trimEnd(),
  'no-ledger': (problem) => `There is no batch here yet (${problem.ledger}).`,
  'ledger-unconfirmed': ({ ledger }) =>
    `You have not made the ledger ${ledger} on this machine, so its batches, hooks and schedules may be somebody else's.`,
  'state-unwritable': ({ folder, cause }) =>
    `${folder} cannot be written (${messageOf(cause)}), where voxbatch records which ledgers are yours.`,
  'no-batch': (problem) =>
    problem.batch === undefined ? 'There is no batch here yet.' : `There is no batch "${problem.batch}" here.`,
  machine: (problem) => messageOf(problem.cause),
  'store-of-another': (problem) => `The media in ${problem.store} belong to another ledger than ${problem.ledger}.`,
  'other-store': (problem) =>
    `The results of ledger ${problem.ledger} are kept in another store than ${problem.store}.`,
  'store-missing': (problem) =>
    `The store of ledger ${problem.ledger} is not in ${problem.store}, so no file of batch "${problem.batch}" is taken for lost.`,
  'unwritable-out': (problem) => `The output folder ${problem.out} cannot be written: ${messageOf(problem.cause)}.`,
  'taken-out': (problem) =>
    `The output folder ${problem.out} ${problem.by}, and the results of this batch would overwrite it.`,
  'forgotten-batch': ({ out }) =>
    `The output folder ${out} holds the results of this batch from this very ledger, which does not have it on record: the ledger is older than the folder, as after a restore from a backup, and would pay for the rows again.`,
  'forgotten-requests': ({ folders, batch, rows, credits }) =>
    `${folders.join(' and ')} ${folders.length === 1 ? 'has' : 'have'} paid requests of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'} of batch "${batch}" (${rows.slice(0, MOST_NAMED).join(', ')}${rows.length > MOST_NAMED ? ', …' : ''}), ${credits} ${credits === 1 ? 'credit' : 'credits'}, that the ledger does not have on record: the ledger is older, as after a restore from a backup, and would pay for them again.`,
  'linked-out': ({ path }) => `${linkWords(path)}.`,
  'linked-below-out': ({ path }) => `${linkWords(path)}.`,
  loading: (problem) => `Batch "${problem.batch.name}" is still loading; nothing was sent, nothing was spent.`,
  cleaned: (problem) =>
    `What the rows of batch "${problem.batch.name}" asked for was removed, so it can neither be run again nor written.`,
  'no-price': (problem) => `No price is known for ${problem.id} (row ${problem.row}), so it cannot run under a budget.`,
  'no-server': (problem) => `${problem.cause.message} ${problem.cause.advice}`,
  'no-cluster': (problem) => `Temporal at ${problem.address} cannot be reached: ${messageOf(problem.cause)}.`,
  'cluster-refused': ({ address, says }) => `Temporal at ${address} refuses this client: ${says.replace(/\.$/, '')}.`,
  'no-namespace': (problem) => `Temporal at ${problem.address} has no namespace "${problem.namespace}".`,
  'ledger-in-use': (problem) =>
    `Another Temporal server uses the ledger ${problem.ledger}: ${problem.holder}. ` +
    'Two at once could pay for a row twice.',
  'copy-refused': ({ from, to, refusal }) => `${from} cannot be copied to ${to}: ${refusalWords(refusal)}.`,
  'copy-held': ({ ledger, holder }) => `Workers of a Temporal server have the ledger ${ledger}: ${holder}.`,
  'copy-differs': ({ from, to, differences }) =>
    [
      `The ledger ${from} was not moved to ${to}, because they do not add up:`,
      ...differences.map(differenceWords),
    ].join('\n  ') + '\n',
  'backup-refused': ({ folder, refusal }) => backupRefusalWords(folder, refusal),
  'backup-held': ({ ledger, by }) =>
    by === 'backup'
      ? `Another backup of the ledger ${ledger} runs.`
      : `A voxbatch process still works where the ledger ${ledger} is to be put.`,
  'backup-differs': ({ file, why }) => `The backup is damaged: ${file} ${why}.`,
  'server-gone': (problem) =>
    `Temporal at ${problem.address} went away before this command had reached it: ${problem.cause.message}.`,
  'not-started': (problem) => `Temporal did not accept the batch: ${problem.cause.message}.`,
  untold: (problem) =>
    'It is recorded, and every paid request checks it from now on. But the workers could not be notified. ' +
    messageOf(problem.cause),
  'odd-token': (problem) => messageOf(problem.cause),
  'no-media-port': ({ host, port, code }) =>
    code === 'EADDRINUSE'
      ? `Another program uses port ${String(port)} of ${host}, where local media were to be handed out (--serve-media).`
      : `Local media cannot be handed out on port ${String(port)} of ${host} (${code}).`,
  'no-metrics-port': ({ host, port, code }) =>
    code === 'EADDRINUSE'
      ? `Another program uses port ${String(port)} of ${host}, where metrics were to be read (--metrics-port).`
      : `Metrics cannot be served on port ${String(port)} of ${host} (${code}).`,
  'no-webhook-port': ({ host, port, code }) =>
    code === 'EADDRINUSE'
      ? `Another program uses port ${String(port)} of ${host}, where webhooks were to come (--webhook-port).`
      : `Webhooks cannot be listened for on port ${String(port)} of ${host} (${code}).`,
  'odd-proxy': (problem) => problem.cause.message,
  'token-refused': (problem) => `The API at ${problem.apiUrl} refuses the token: ${problem.failure.message}`,
  'api-away': (problem) =>
    `The API at ${problem.apiUrl} does not return the account's profile: ${problem.failure.message}`,
  'voices-unread': ({ why, names, first }) =>
    `The manifest names ${names === 1 ? 'a voice' : `${names} voices`} (name:, first in line ${first.line}), and the API's list of voices cannot be read: ${why.replace(/\.?$/, '.')}`,
  'no-schema': (problem) => `The API at ${problem.apiUrl} shows no schema that can be read: ${problem.why}`,
  'no-schedule': (problem) => `There is no schedule "${problem.schedule}" here.`,
  'schedule-lost': (problem) =>
    `Temporal does not know the schedule "${problem.schedule}" any more, so it does not fire: its database was lost or replaced, or the schedule was deleted there.`,
  'schedule-taken': (problem) => `There is a schedule "${problem.schedule}" already.`,
  'schedule-refused': (problem) =>
    `Temporal does not take the schedule "${problem.schedule}": ${messageOf(problem.cause)}.`,
  'schedule-silent': (problem) => `Temporal does not answer: ${messageOf(problem.cause)}.`,
  'other-realm': (problem) =>
    problem.differs === 'api'
      ? `Batch "${problem.batch.name}" ran against ${problem.batch.apiUrl}, and this is ${problem.here.apiUrl}.`
      : `Batch "${problem.batch.name}" belongs to account ${problem.batch.account}, and this token is of ${problem.here.account}.`,
};

/** Why ledgers cannot be copied, in words. */
function refusalWords(refusal: CopyRefusal): string {
  switch (refusal.why) {
    case 'same':
      return 'both are the same ledger';
    case 'not-empty':
      return `${refusal.table} are in the second one already, and a copy is never mixed with other records`;
    case 'moved-elsewhere':
      return `the first one has moved to ${refusal.to}`;
    case 'from-incoming':
      return `the first one is being filled from ${refusal.from}, and that has not ended`;
    case 'to-moved':
      return `the second one has moved to ${refusal.to}`;
    case 'to-incoming':
      return `the second one is being filled from another ledger, ${refusal.from}, and that has not ended`;
    case 'from-unaccepted':
      return 'the first one is itself a copy that nobody has accepted, a replica that took over or a restored backup. It may lack the last records, and what was sent since would be paid for again';
    case 'strange':
      return `the first one has parts that voxbatch did not make (${refusal.parts.join(', ')})`;
  }
}

/** A number that should be the same twice, in words. */
export function differenceWords({ batch, what, expected, found }: Difference): string {
  return `${batch === null ? '' : `batch "${batch}", `}${what}: ${String(expected)}, but ${String(found)}`;
}

/** System error codes for a disk that is full, read-only, unreachable or broken. */
const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** True for a system call error that means that a disk is full, read-only, unreachable or broken. */
export function isDiskTrouble(error: unknown): error is Error {
  // The store has its own messages for the same codes.
  if (error instanceof StoreUnwritable) return false;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return error instanceof Error && typeof code === 'string' && DISK_CODES.has(code);
}

/** True for a machine fault rather than a bug: disk, ledger, store or Temporal server. */
export function isMachineTrouble(error: unknown): boolean {
  return (
    error instanceof ServerUnavailable ||
    error instanceof LedgerUnreachable ||
    error instanceof LedgerReadOnly ||
    error instanceof CopyInDoubt ||
    error instanceof LedgerTooNew ||
    error instanceof LoadTakenOver ||
    error instanceof StoreUnwritable ||
    isDiskTrouble(error)
  );
}

/**
 * True for a machine fault after which the ledger certainly has all that was paid, so that the same command pays for nothing
 * twice. A copy of it may lack some, and where a person has to act, that is not known.
 */
export function keepsAllCharges(error: unknown): boolean {
  if (error instanceof LedgerAway) return !error.needsPerson;
  return (
    error instanceof ServerUnavailable ||
    error instanceof LedgerFull ||
    error instanceof StoreUnwritable ||
    isDiskTrouble(error)
  );
}

/** Runs preparations that precede any paid request; rethrows machine faults as {@link VoxbatchError} (`machine`). */
export async function beforeWork<T>(prepare: () => T | Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (cause) {
    throw isMachineTrouble(cause) ? new VoxbatchError({ type: 'machine', cause }) : cause;
  }
}

/**
 * Throws {@link VoxbatchError} (`loading`) for a batch that is still being loaded. It cannot be steered: a killed load
 * starts over, and the request would be lost.
 */
export function refuseLoading(batch: BatchRecord): void {
  if (batch.state === 'loading') throw new VoxbatchError({ type: 'loading', batch });
}

/** Rejects an option's value. Throws {@link VoxbatchError} (`bad-option`). */
export function refuseOption(option: string, expected: string, got: unknown): never {
  const shown = typeof got === 'string' ? JSON.stringify(got) : String(got);
  throw new VoxbatchError({ type: 'bad-option', option, expected, got: shown.slice(0, 80) });
}
