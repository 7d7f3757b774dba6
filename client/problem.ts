import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import { LinkedFolder, NotAFile, linkWords, notAFileWords } from '../results/errors.ts';
import type { ForgottenBatch, Problem } from './problem-types.ts';
import { API_PATH } from '../contract/urls.ts';
import { messageOf } from '../contract/message-of.ts';
import type { CopyRefusal } from '../ledger/copy/copy-refused.ts';
import type { Difference } from '../ledger/copy/tally.ts';
import { refusalWords as backupRefusalWords } from './backup/backup-refusal.ts';

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
  if (error instanceof NotAFile) return new VoxbatchError({ type: 'not-a-file', path: error.path, cause: error });
  return error instanceof VoxbatchError ? error : undefined;
}

/**
 * Throws {@link VoxbatchError} (`loading`) for a batch that is still being loaded. It cannot be paused, resumed
 * or stopped: a killed load starts over, and the request would be lost.
 */
export function refuseLoading(batch: BatchRecord): void {
  if (batch.state === 'loading') throw new VoxbatchError({ type: 'loading', batch });
}

/** Rejects an option's value. Throws {@link VoxbatchError} (`bad-option`). */
export function refuseOption(option: string, expected: string, got: unknown): never {
  const shown = typeof got === 'string' ? JSON.stringify(got) : String(got);
  throw new VoxbatchError({ type: 'bad-option', option, expected, got: shown.slice(0, 80) });
}

function sentenceFor(problem: Problem): string {
  // Each entry takes its own type's problem; the compiler cannot see that through the table.
  const sentence: (problem: never) => string = SENTENCES[problem.type];
  return sentence(problem as never);
}

/** Max rows or batches named in a message. */
const MAX_NAMED = 5;

/** The message of each problem. */
const SENTENCES: {
  readonly [T in Problem['type']]: (problem: Extract<Problem, { readonly type: T }>) => string;
} = {
  'bad-option': (problem) => `Option ${problem.option}: expected ${problem.expected}, but got ${problem.got}.`,
  'no-api': (problem) => `${problem.why}. Expected its address, which ends in ${API_PATH}, and a token.`,
  'bad-config': ({ cause }) => messageOf(cause).trimEnd(),
  'no-ledger': (problem) => `There is no batch here yet (${problem.ledger}).`,
  'ledger-lost': ({ ledger, store, batches }) =>
    `The ledger ${ledger} has no batch, but ${store} has media of ${batches.length === 1 ? 'a batch' : `${batches.length} batches`} (${batches.slice(0, MAX_NAMED).join(', ')}${batches.length > MAX_NAMED ? ', …' : ''}), and the ledger that records what was paid for them is lost, or elsewhere.`,
  'ledger-unconfirmed': ({ ledger }) =>
    `You have not made the ledger ${ledger} on this machine, so its batches, hooks and schedules may be somebody else's.`,
  'state-unwritable': ({ folder, cause }) =>
    `${folder} cannot be written (${messageOf(cause)}), where voxbatch records which ledgers are yours.`,
  'no-batch': (problem) =>
    problem.batch === undefined ? 'There is no batch here yet.' : `There is no batch "${problem.batch}" here.`,
  machine: (problem) => messageOf(problem.cause),
  'small-files': ({ mostBytes }) =>
    `This process may write files only up to ${mostBytes / 1_000} KB, which the ledger and Temporal's database soon exceed.`,
  'store-of-another': (problem) => `The media in ${problem.store} belong to another ledger than ${problem.ledger}.`,
  'other-store': (problem) =>
    `The results of ledger ${problem.ledger} are kept in another store than ${problem.store}.`,
  'store-missing': (problem) =>
    `The store of ledger ${problem.ledger} is not in ${problem.store}, so no file of batch "${problem.batch}" is taken for lost.`,
  'unwritable-out': (problem) => `The output folder ${problem.out} cannot be written: ${messageOf(problem.cause)}.`,
  'taken-out': (problem) =>
    `The output folder ${problem.out} ${problem.by}, and the results of this batch would overwrite it.`,
  'forgotten-batch': (problem) =>
    `${problem.isSingle ? 'A job of "' : 'Batch "'}${problem.batch}" is not in the ledger, but ${lostBatchWords(problem)}: the ledger is older, as after a restore from a backup, and would pay for ${problem.isSingle ? 'it' : 'its rows'} again.`,
  'forgotten-requests': ({ folders, batch, rows, credits }) =>
    `${folders.join(' and ')} ${folders.length === 1 ? 'has' : 'have'} paid requests of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'} of batch "${batch}" (${rows.slice(0, MAX_NAMED).join(', ')}${rows.length > MAX_NAMED ? ', …' : ''}), ${credits} ${credits === 1 ? 'credit' : 'credits'}, that the ledger does not have on record: the ledger is older, as after a restore from a backup, and would pay for them again.`,
  'unread-receipts': ({ batch, unread }) =>
    `The receipts of batch "${batch}" cannot all be read (${unread}), and the ledger may be older than they are, as after a restore from a backup: it would pay again for requests that it lacks.`,
  'forgotten-results': ({ batch, rows }) =>
    `The store has results of ${rows.length} ${rows.length === 1 ? 'row' : 'rows'} of batch "${batch}" (${rows
      .slice(0, MAX_NAMED)
      .map(({ id }) => id)
      .join(
        ', ',
      )}${rows.length > MAX_NAMED ? ', …' : ''}), whose requests the ledger does not have on record: it is older, as after a restore from a backup, and would pay for them again.`,
  'linked-out': ({ path }) => `${linkWords(path)}.`,
  'linked-below-out': ({ path }) => `${linkWords(path)}.`,
  'not-a-file': ({ path }) => `${notAFileWords(path)}.`,
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
  'backup-held': ({ ledger, by, pids }) =>
    by === 'backup'
      ? `Another backup of the ledger ${ledger} runs${pidWords(pids)}.`
      : `A voxbatch process still works where the ledger ${ledger} is to be put${pidWords(pids)}.`,
  'backup-differs': ({ file, why }) => `The backup is damaged: ${file} ${why}.`,
  'server-gone': (problem) =>
    `Temporal at ${problem.address} went away before this command had reached it: ${problem.cause.message}.`,
  'not-started': (problem) => `Temporal did not accept the batch: ${problem.cause.message}.`,
  'not-notified': (problem) =>
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

/** Why a ledger cannot be copied, as the end of a sentence. */
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

/** ` (process 4711)`; empty if none is known. */
function pidWords(pids: readonly number[]): string {
  return pids.length === 0 ? '' : ` (${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')})`;
}

/** Describes a sum that differs between a ledger and its copy. */
export function differenceWords({ batch, what, expected, got }: Difference): string {
  return `${batch === null ? '' : `batch "${batch}", `}${what}: ${String(expected)}, but ${String(got)}`;
}

/** Lists the files and results that show that a batch has run which the ledger lacks. */
function lostBatchWords({ receipts, folders }: ForgottenBatch): string {
  const results = folders.reduce((sum, one) => sum + one.results, 0);
  const names = folders.slice(0, MAX_NAMED).map(({ folder }) => folder);
  const more = folders.length > MAX_NAMED ? ', …' : '';
  return [
    ...(receipts === null
      ? []
      : [
          receipts.requests === 0
            ? `${receipts.out} has its files`
            : `${receipts.out} has ${counted(receipts.requests, 'paid request')} of it, ${counted(receipts.credits, 'credit')}`,
        ]),
    ...(folders.length === 0 ? [] : [`the store has ${counted(results, 'result')} of it (${names.join(', ')}${more})`]),
  ].join(', and ');
}

function counted(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`;
}
