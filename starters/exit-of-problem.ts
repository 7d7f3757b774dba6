import { formatListenAddress } from '../contract/listen-address.ts';
import { messageOf } from '../contract/message-of.ts';
import { dirname, isAbsolute } from 'node:path';
import { shellWord } from '../contract/shell-word.ts';
import { isLedgerFile } from '../contract/urls.ts';
import { asVoxbatchError, VoxbatchError } from '../client/problem.ts';
import type { Problem } from '../client/problem-types.ts';
import { isMachineFault, keepsAllCharges, systemFault } from '../client/machine-faults.ts';
import { tokenAdvice } from './connect/api-token.ts';
import { ExitError, noLedgerAdvice, NOT_LOGGED } from './exit-error.ts';
import { backupAdvice } from './backup/backup-advice.ts';
import { remakeWords } from './schedules/lost-schedule-words.ts';
import { adoptAdvice, joblessAdvice, storedAdvice } from './terminal/next-steps.ts';
import { goOnCommand, namedRow, sentence as withFullStop } from './terminal/words.ts';

/**
 * Turns errors into exit codes and messages for the user. {@link exitErrorOf} does so for problems that `client/`
 * reports; {@link describeTrouble} for faults of the machine. The table {@link EXITS} has an entry for each problem.
 */

/**
 * Returns the message for a fault of this machine: its disk, the ledger, the store, the Temporal server; undefined for
 * any other error. It ends with a full stop, because {@link repeatWords} follows.
 */
export function describeTrouble(error: unknown): string | undefined {
  if (!isMachineFault(error)) return undefined;
  if (error instanceof Error && 'advice' in error) return withFullStop(`${error.message} ${String(error.advice)}`);
  const fault = systemFault(error);
  if (fault === undefined) return withFullStop(messageOf(error));
  return fault === 'disk'
    ? `Cannot write to disk: ${messageOf(error)}. Free some space, or choose another folder for the results with --out, then run the same command again.`
    : `Too many files are open: ${messageOf(error)}. Raise the limit (ulimit -n), or end other programs, then run the same command again.`;
}

/** Commands that send paid requests. */
const PAYING_COMMANDS = ['run', 'up', 'worker', 'reconcile', 'redrive', 'say', 'transcribe', 'lip-sync'];

/**
 * Returns the sentence after the message of {@link describeTrouble}: that repeating the command pays nothing twice.
 * Empty if the command does not pay, or if that is not certain.
 */
export function repeatWords(error: unknown, command: string): string {
  if (!PAYING_COMMANDS.includes(command) || !keepsAllCharges(error)) return '';
  return ' All charges are recorded. Running the same command again pays nothing twice.';
}

/**
 * Returns the {@link ExitError} for a {@link VoxbatchError}, and any other error unchanged. `out`: the folder of the
 * batch's files, for commands in the message; see {@link goOnCommand}.
 */
export function exitErrorOf(error: unknown, out?: string | null): unknown {
  const found = asVoxbatchError(error);
  if (found === undefined) return error;
  const ending = exitOf(found.problem.type);
  const { exit, advice } = ending;
  const next = typeof ending.next === 'function' ? ending.next(found.problem, out) : ending.next;
  const adviceText = typeof advice === 'string' ? advice : advice(found.problem, out);
  const messageFor = ({ problem, message }: VoxbatchError): string => {
    const sentence = ending.says?.(problem, message) ?? message;
    // The sentence of a wrong config may list a fault per line.
    const gap = problem.type === 'bad-config' && sentence.includes('\n') ? '\n' : ' ';
    return `${sentence}${gap}${adviceText}`;
  };
  const loggable = withoutApiWords(found.problem);
  const logged = loggable && messageFor(new VoxbatchError(loggable));
  return new ExitError(exit, messageFor(found), { cause: error, next, logged });
}

/** Returns the problem without the API's message, which a log must not have; undefined if there is none. */
function withoutApiWords(problem: Problem): Problem | undefined {
  switch (problem.type) {
    case 'token-refused':
    case 'api-away': {
      const { class: name, status } = problem.failure;
      const message = status === undefined ? name : `${name}, ${String(status)}`;
      return { ...problem, failure: { ...problem.failure, message } };
    }
    case 'voices-unread':
    case 'no-schema':
      return { ...problem, why: NOT_LOGGED };
    default:
      return undefined;
  }
}

function exitOf<T extends Problem['type']>(type: T): ProblemExit<T> {
  return EXITS[type];
}

type ProblemOf<T extends Problem['type']> = Extract<Problem, { readonly type: T }>;

/** How a problem ends a command. */
interface ProblemExit<T extends Problem['type']> {
  readonly exit: ExitError['exit'];
  /** The next command, for `--json`. Default: the usual one of the exit code. */
  readonly next?: string | ((problem: ProblemOf<T>, out?: string | null) => string);
  /** Returns what is wrong. Default: the problem's own sentence. */
  says?(problem: ProblemOf<T>, sentence: string): string;
  /** Whether money was spent, and what to do next. */
  readonly advice: string | ((problem: ProblemOf<T>, out?: string | null) => string);
}

type More<T extends Problem['type']> = Pick<ProblemExit<T>, 'next' | 'says'>;
type Ending = <T extends Problem['type']>(advice: ProblemExit<T>['advice'], more?: More<T>) => ProblemExit<T>;

/** Returns a function that makes entries of {@link EXITS} with this exit code. */
const endingWith =
  (exit: ExitError['exit']): Ending =>
  (advice, more) => ({ exit, advice, ...more });

const usage = endingWith('usage');
const api = endingWith('api');
const apiAway = endingWith('api-away');
const unreachable = endingWith('unreachable');
const refused = endingWith('refused');
const mismatch = endingWith('mismatch');

const EXITS: { readonly [T in Problem['type']]: ProblemExit<T> } = {
  'bad-option': usage('Nothing was spent.'),
  'no-api': api('Nothing was spent.'),
  'bad-config': usage('Fix the file, then run the same command again. Nothing was spent.'),
  'no-webhook-port': usage(
    ({ port }) =>
      'Nothing was sent. Nothing was spent. End that program, or run the same command with a port that is free: ' +
      `--webhook-port ${String(port === 65_535 ? port - 1 : port + 1)}, to which the public address has to lead then.`,
  ),
  'no-media-port': usage(
    ({ host, port }) =>
      'Nothing was spent. End that program, or run the same command with a port that is free: ' +
      `--serve-media ${formatListenAddress({ host, port: port === 65_535 ? port - 1 : port + 1 })}`,
  ),
  'no-metrics-port': usage(
    'Nothing was sent. Nothing was spent. End that program, or run the same command with a port that is free: ' +
      '--metrics-port 0 takes any, and says which.',
  ),
  'no-ledger': usage(({ ledger }) => noLedgerAdvice(ledger), { next: 'voxbatch init' }),
  'ledger-lost': usage(
    'Nothing was spent. Restore it from a backup: voxbatch restore FOLDER. If it is elsewhere, name it (VOXBATCH_LEDGER). To run them with a new one pays for all rows again.',
    { next: 'voxbatch restore FOLDER' },
  ),
  'ledger-unconfirmed': usage(
    ({ ledger }) =>
      'Nothing was sent. Nothing was spent. Look at it: voxbatch list. If it is yours, moved or restored, or you trust who made it, run: voxbatch trust. ' +
      `If it is yours, and your home does not last, as in a container: export VOXBATCH_HOME=${shellWord(dirname(ledger))}`,
    { next: 'voxbatch trust' },
  ),
  'state-unwritable': usage(
    'Nothing was sent. Nothing was spent. Make it writable, or name the folder of your records: export VOXBATCH_HOME="$PWD/.voxbatch"',
  ),
  'no-batch': usage(
    ({ batch, known }) => (batch === undefined ? 'Start one: voxbatch run MANIFEST' : knownWords(known)),
    { next: 'voxbatch list' },
  ),
  machine: unreachable('Nothing was spent by this command.', {
    says: ({ cause }, sentence) => describeTrouble(cause) ?? sentence,
  }),
  'small-files': unreachable(({ mayLift }) =>
    mayLift
      ? 'Nothing was sent. Nothing was spent. Lift the limit: ulimit -f unlimited'
      : 'Nothing was sent. Nothing was spent. The limit is a hard one: use another shell, or have it lifted where it is set (fsize in limits.conf, LimitFSIZE of a service).',
  ),
  'store-of-another': usage(
    'Nothing was spent. Their ledger records what was paid: if it was deleted, restore it from a backup; if it is elsewhere, name it (VOXBATCH_LEDGER). ' +
      'Only if none of these media is needed here, set VOXBATCH_STORE to another folder: a new ledger with another store pays again for all that was paid before.',
  ),
  'other-store': usage(
    ({ store, isUnset = false }) =>
      `${isUnset ? 'VOXBATCH_STORE is not set here. ' : ''}Nothing was sent. Nothing was spent. All workers and commands of a ledger need the same one: set VOXBATCH_STORE to the store that the others have${isAbsolute(store) && !isUnset ? ' (if this is it, mount its disk)' : ''}, and run the same command again.` +
      (isUnset
        ? ''
        : ' If it is lost for good, begin an empty one, and fetch again what jobs still give, free: voxbatch redrive BATCH --damaged --new-store'),
  ),
  'store-missing': usage(
    ({ batch, isUnset = false }) =>
      `${isUnset ? 'VOXBATCH_STORE is not set here: if the store is elsewhere, set it. ' : ''}Nothing was changed. Nothing was spent. Mount its disk, or set VOXBATCH_STORE to its folder, and run the same command again. ` +
      `If its files are lost for good, begin an empty store there, and fetch again what jobs still give, free: voxbatch redrive ${shellWord(batch)} --damaged --new-store`,
  ),
  'unwritable-out': usage('Choose another with --out FOLDER. Nothing was spent.'),
  'taken-out': usage(
    'Nothing was written, nothing was spent. Run the same command with --out NEW-FOLDER, or move that folder away first.',
  ),
  'forgotten-batch': usage(
    ({ batch, receipts, isSingle }) =>
      'Nothing was sent, nothing was spent. Restore a newer state of the ledger. If that is lost, run the same command with --cache only: it puts the batch on record again, and sends nothing. Then ' +
      (receipts === null
        ? `give its rows the jobs that your account shows, free: voxbatch reconcile ${shellWord(batch)} --adopt ${isSingle ? '1' : 'ROW'}=JOB …; or keep the results of the store, whose names begin with the number of the row. `
        : `voxbatch reconcile ${shellWord(batch)} names the jobs on its receipts, with the command that fetches them, free. What was on its way is not there: compare your account. `) +
      (isSingle ? 'Only to pay for it again: --again.' : 'Only to pay for all of its rows again: another --name.'),
  ),
  'forgotten-requests': usage(
    ({ folders, batch, jobs, jobless }) =>
      'Nothing was sent, nothing was spent. Restore a newer state of the ledger. If that is lost, find in the store what can be found, free: ' +
      `voxbatch ledger accept-copy, then voxbatch ledger compare-store, then voxbatch reconcile ${shellWord(batch)}. ` +
      `What is missing then is in receipts.jsonl there. ${adoptAdvice(batch, jobs)}${joblessAdvice(batch, jobless.length)}Only to pay for that again: move ${folders.map(shellWord).join(' and ')} away, and run the same command again.`,
  ),
  'forgotten-results': usage(
    ({ batch, rows }) =>
      `Nothing was sent, nothing was spent. ${storedAdvice(batch, rows)}The number of a row is in its file's name: that the manifest was the same is for you to know. ` +
      `Only to pay for such a row again, once it has ended: voxbatch redrive ${shellWord(batch)} --rows ROW --resubmit`,
    { next: ({ batch }) => `voxbatch reconcile ${shellWord(batch)}` },
  ),
  'unread-receipts': usage(
    ({ folders }) =>
      `Nothing was sent, nothing was spent. Put the file back as it was written. Only to go on without it: move ${folders.map(shellWord).join(' and ')} away, and run the same command again.`,
  ),
  'linked-out': usage(({ path }) => `Nothing was written there. Nothing was spent. ${linkAdvice(path)}`),
  'linked-below-out': usage(
    ({ path }) =>
      `Nothing was written there. All charges are recorded, and all results are in the store: the same command pays for nothing twice. ${linkAdvice(path)}`,
  ),
  'not-a-file': usage(
    ({ path }) =>
      `Nothing was written. All charges are recorded, and all results are in the store: the same command pays for nothing twice. Move it away: mv ${shellWord(path)} ${shellWord(`${path}.moved`)}`,
  ),
  loading: usage(({ batch }) => `Try again when it runs. If its command has died: ${goOnCommand(batch)}`, {
    next: ({ batch }) => goOnCommand(batch),
  }),
  cleaned: usage(
    ({ batch }) => `Nothing was changed. Nothing was spent. Its bill: voxbatch status ${shellWord(batch.name)}`,
    { next: ({ batch }) => `voxbatch status ${shellWord(batch.name)}` },
  ),
  'no-price': refused(
    ({ batch }) =>
      `Nothing was changed. Nothing was spent. Let the batch finish without a budget, or stop it: voxbatch stop ${shellWord(batch)}`,
    { says: (row) => `No price is known for ${namedRow(row)}, so it cannot run under a budget.` },
  ),
  'no-server': unreachable('Nothing was spent by this command.'),
  'no-cluster': unreachable(
    'Check that it runs, and TEMPORAL_ADDRESS and the other TEMPORAL_ settings. Nothing was spent by this command.',
  ),
  'cluster-refused': unreachable(
    'Check TEMPORAL_API_KEY, and that the key may use the namespace of TEMPORAL_NAMESPACE; a key that has expired needs a new one. Nothing was spent by this command.',
  ),
  'no-namespace': unreachable(
    ({ address, namespace }) =>
      'Nothing was sent. Nothing was spent. Set TEMPORAL_NAMESPACE to one that it has, or create it: ' +
      `temporal operator namespace create --address ${shellWord(address)} --namespace ${shellWord(namespace)}`,
  ),
  'ledger-in-use': unreachable(
    ({ ledger }) =>
      'Nothing was sent. Stop the commands that run there, or use that server, then run the same command again.' +
      (isLedgerFile(ledger)
        ? ''
        : ' All that share a ledger need the same TEMPORAL_ADDRESS: a command or worker without it starts a server of its own.'),
  ),
  'copy-refused': usage(({ from, refusal }) => {
    const unchanged = 'Nothing was changed. Nothing was spent.';
    switch (refusal.why) {
      case 'moved-elsewhere':
      case 'to-moved':
        return `${unchanged} Work with the ledger there (VOXBATCH_LEDGER).`;
      case 'from-unaccepted':
        return `${unchanged} Copy the former database; or, if that is lost, first: VOXBATCH_LEDGER=${shellWord(from)} voxbatch ledger accept-copy`;
      default:
        return `${unchanged} Name a place without records as the second one.`;
    }
  }),
  'copy-held': unreachable(
    'Nothing was changed. Nothing was spent. End them in order, with Ctrl-C or SIGTERM (run, up, worker): they first take in the answers to what is on the wire. Then run the same command again.',
  ),
  'copy-differs': mismatch(
    'Nothing was moved, and the first one goes on. Nothing was spent. Look which of them is wrong: voxbatch ledger check',
    { next: 'voxbatch ledger check' },
  ),
  'backup-refused': usage(
    ({ folder, refusal }) => `Nothing was changed. Nothing was spent. ${backupAdvice(folder, refusal)}`,
  ),
  'backup-held': unreachable(({ by }) =>
    by === 'backup'
      ? 'Nothing was changed. Wait until it has ended, then run the same command again.'
      : 'Nothing was changed. Nothing was spent. End it first (run, up, worker: Ctrl-C or SIGTERM), then run the same command again.',
  ),
  'backup-differs': mismatch('Nothing was put back. Nothing was spent. Take another backup.'),
  'server-gone': unreachable('Run the same command again. Nothing was spent by this command.'),
  'not-started': unreachable(
    ({ batch }, out) =>
      'Nothing is lost, nothing was spent by this command. ' +
      `When that is fixed, continue with: ${goOnCommand(batch, out)}`,
    { next: ({ batch }, out) => goOnCommand(batch, out) },
  ),
  'not-notified': unreachable('Run the same command again when Temporal is back.', {
    says: ({ cause }) =>
      'It is recorded, and every paid request checks it from now on. But the workers could not be notified. ' +
      withFullStop(messageOf(exitErrorOf(cause))),
  }),
  'odd-token': api(() => `${tokenAdvice('your account')}. Nothing was spent.`),
  'odd-proxy': api('Nothing was sent, nothing was spent.'),
  'token-refused': api(() => `${tokenAdvice('this service')}. Nothing was spent.`, {
    says: ({ apiUrl, failure }) => `The API at ${apiUrl} refuses the token: ${withFullStop(failure.message)}`,
  }),
  'api-away': apiAway(
    ({ failure }) =>
      failure.class === 'NotSent'
        ? 'Check VOXBATCH_API_URL and the network, then run the same command again. Nothing was spent.'
        : 'Try again later, or check VOXBATCH_API_URL. Nothing was spent.',
    {
      says: ({ apiUrl, failure }) =>
        `The API at ${apiUrl} ${failure.class === 'NotSent' ? 'cannot be reached' : "does not return the account's profile"}: ${withFullStop(failure.message)}`,
    },
  ),
  'voices-unread': apiAway(
    'Nothing was sent. Nothing was spent. Run the same command again later, or use the ids of the voices.',
  ),
  'no-schema': apiAway('voxbatch works without it: voxbatch doctor checks the rest. Nothing was spent.', {
    says: (_, sentence) => withFullStop(sentence),
  }),
  'no-schedule': usage(({ known }) => `${knownWords(known)} Nothing was changed.`, { next: 'voxbatch schedule list' }),
  'schedule-lost': usage(({ schedule }) => `${remakeWords(schedule)} Nothing was changed.`),
  'schedule-taken': usage(
    ({ schedule }) =>
      `Change it: voxbatch schedule update ${shellWord(schedule)}. Or delete it first: voxbatch schedule delete ${shellWord(schedule)}. Nothing was changed.`,
    { next: ({ schedule }) => `voxbatch schedule update ${shellWord(schedule)}` },
  ),
  'schedule-refused': usage('Nothing was changed. Nothing was spent.'),
  'schedule-silent': unreachable(
    'It may or may not have been done. Nothing is lost. Look when Temporal is back: voxbatch schedule list',
    { next: 'voxbatch schedule list' },
  ),
  'other-realm': usage(({ differs }) => {
    const advice = { api: 'Set VOXBATCH_API_URL, or use --api-url', account: tokenAdvice() };
    return `${advice[differs]}. Nothing was changed. Nothing was spent.`;
  }),
};

function knownWords(known: readonly string[]): string {
  return `Known: ${known.length === 0 ? 'none' : known.join(', ')}.`;
}

/** Returns how to remove a symbolic link, whose target stays, or write elsewhere. */
function linkAdvice(path: string): string {
  return `Remove it: rm ${shellWord(path)}. Or write elsewhere: --out FOLDER, which may be the folder behind a link of yours.`;
}
