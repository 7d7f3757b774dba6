import { dirname } from 'node:path';
import type { Failure } from '../contract/failures.ts';
import { shellWord } from '../contract/shell-word.ts';
import { VoxbatchError, type Problem, messageOf } from '../client/problem.ts';
import { tokenAdvice } from './connect/api-token.ts';
import { ExitError } from './exit-error.ts';
import { goOnCommand } from './terminal/command.ts';
import { namedRow } from './terminal/row-words.ts';
import { LinkedFolder } from '../results/real-folders.ts';
import { isDiskTrouble, isMachineTrouble } from '../client/before-work.ts';

/**
 * The message for an error of this machine, not of our code: its disk, the ledger, the store, the Temporal server.
 * Undefined for every other error.
 */
export function describeTrouble(error: unknown): string | undefined {
  if (!isMachineTrouble(error)) return undefined;
  if (error instanceof Error && 'advice' in error) return `${error.message} ${String(error.advice)}`;
  if (!isDiskTrouble(error)) return messageOf(error);
  return `Cannot write to disk: ${error.message}. Free some space, or choose another folder for the results with --out, then run the same command again.`;
}

/** What to do where no batch was run. Each folder has a ledger of its own. */
export const NO_LEDGER_ADVICE = 'Start one: voxbatch run MANIFEST (or go to the folder where you ran it)';

/** The exit code and message for a {@link VoxbatchError}; any other error unchanged. `out`: folder of the batch's files; see {@link goOnCommand}. */
export function exitErrorOf(error: unknown, out?: string | null): unknown {
  // Deeper than a claim of the folder looks: rows may have been paid for before.
  if (error instanceof LinkedFolder) {
    const safe = 'All charges are recorded, and all results are in the store: the same command pays for nothing twice';
    return new ExitError('usage', `${error.message}. Nothing was written there. ${safe}. ${linkAdvice(error.path)}`);
  }
  if (!(error instanceof VoxbatchError)) return error;
  const exit = exitOf(error.problem.type);
  return new ExitError(exit.exit, exit.words(error.problem, error.message, out), { cause: error, next: exit.next });
}

function exitOf<T extends Problem['type']>(type: T): ProblemExit<T> {
  return EXITS[type];
}

type ProblemOf<T extends Problem['type']> = Extract<Problem, { readonly type: T }>;

/** How a command ends because of a problem. */
interface ProblemExit<T extends Problem['type']> {
  readonly exit: ExitError['exit'];
  /** The next command, if it is not the usual one of the exit code. */
  readonly next?: string;
  /** What is wrong, whether money was spent, what to do next. `sentence` says what is wrong. */
  words(problem: ProblemOf<T>, sentence: string, out?: string | null): string;
}

const EXITS: { readonly [T in Problem['type']]: ProblemExit<T> } = {
  'bad-option': { exit: 'usage', words: (_, sentence) => `${sentence} Nothing was spent.` },
  'no-api': { exit: 'api', words: (_, sentence) => `${sentence} Nothing was spent.` },
  'no-webhook-port': {
    exit: 'usage',
    words: ({ port }, sentence) =>
      `${sentence} Nothing was sent. Nothing was spent. End that program, or run the same command with a port that is free: ` +
      `--webhook-port ${String(port === 65_535 ? port - 1 : port + 1)}, to which the public address has to lead then.`,
  },
  'no-ledger': {
    exit: 'usage',
    next: 'voxbatch init',
    words: (_, sentence) => `${sentence} ${NO_LEDGER_ADVICE}`,
  },
  'ledger-unconfirmed': {
    exit: 'usage',
    next: 'voxbatch trust',
    words: ({ ledger }, sentence) =>
      `${sentence} Nothing was sent. Nothing was spent. Look at it: voxbatch list. If it is yours, moved or restored, or you trust who made it, run: voxbatch trust. ` +
      `If it is yours, and your home does not last, as in a container: export VOXBATCH_HOME=${shellWord(dirname(ledger))}`,
  },
  'state-unwritable': {
    exit: 'usage',
    words: (_, sentence) =>
      `${sentence} Nothing was sent. Nothing was spent. Make it writable, or name the folder of your records: export VOXBATCH_HOME="$PWD/.voxbatch"`,
  },
  'no-batch': {
    exit: 'usage',
    next: 'voxbatch list',
    words: (problem, sentence) => {
      const known = problem.known.join(', ');
      return `${sentence} ${problem.batch === undefined ? 'Start one: voxbatch run MANIFEST' : `Known: ${known === '' ? 'none' : known}.`}`;
    },
  },
  machine: {
    exit: 'unreachable',
    words: (problem, sentence) => `${describeTrouble(problem.cause) ?? sentence} Nothing was spent by this command.`,
  },
  'store-of-another': {
    exit: 'usage',
    words: (_, sentence) =>
      `${sentence} Nothing was spent. Their ledger records what was paid: if it was deleted, restore it from a backup; if it is elsewhere, name it (VOXBATCH_LEDGER). ` +
      'Only if none of these media is needed here, set VOXBATCH_STORE to another folder: a new ledger with another store pays again for all that was paid before.',
  },
  'store-missing': {
    exit: 'usage',
    words: ({ batch }, sentence) =>
      `${sentence} Nothing was changed. Nothing was spent. Mount its disk, or set VOXBATCH_STORE to its folder, and run the same command again. ` +
      `If its files are lost for good, begin an empty store there, and fetch again what jobs still give, free: voxbatch redrive ${shellWord(batch)} --damaged --new-store`,
  },
  'unwritable-out': {
    exit: 'usage',
    words: (_, sentence) => `${sentence} Choose another with --out FOLDER. Nothing was spent.`,
  },
  'taken-out': {
    exit: 'usage',
    words: (_, sentence) =>
      `${sentence} Nothing was written, nothing was spent. ` +
      'Run the same command with --out NEW-FOLDER, or move that folder away first.',
  },
  'linked-out': {
    exit: 'usage',
    words: ({ path }, sentence) => `${sentence} Nothing was written there. Nothing was spent. ${linkAdvice(path)}`,
  },
  loading: {
    exit: 'usage',
    words: (problem, sentence) =>
      `${sentence} Try again when it runs. If its command has died: ${goOnCommand(problem.batch)}`,
  },
  cleaned: {
    exit: 'usage',
    words: (problem, sentence) =>
      `${sentence} Nothing was changed. Nothing was spent. Its bill: voxbatch status ${shellWord(problem.batch.name)}`,
  },
  'no-price': {
    exit: 'refused',
    words: (problem) =>
      `No price is known for ${namedRow(problem)}, so it cannot run under a budget. Nothing was changed. Nothing was spent. ` +
      `Let the batch finish without a budget, or stop it: voxbatch stop ${shellWord(problem.batch)}`,
  },
  'no-server': { exit: 'unreachable', words: (_, sentence) => `${sentence} Nothing was spent by this command.` },
  'no-cluster': {
    exit: 'unreachable',
    words: (_, sentence) =>
      `${sentence} Check TEMPORAL_ADDRESS and the other TEMPORAL_ settings, or unset them to use ` +
      'the embedded server. Nothing was spent by this command.',
  },
  'ledger-in-use': {
    exit: 'unreachable',
    words: (_, sentence) =>
      `${sentence} Nothing was sent. Stop the commands that run there, or use that server, then run the same command again.`,
  },
  'server-gone': {
    exit: 'unreachable',
    words: (_, sentence) => `${sentence} Run the same command again. Nothing was spent by this command.`,
  },
  'not-started': {
    exit: 'unreachable',
    words: (problem, sentence, out) =>
      `${sentence} Nothing is lost, nothing was spent by this command. ` +
      `When that is fixed, continue with: ${goOnCommand(problem.batch, out)}`,
  },
  untold: {
    exit: 'unreachable',
    words: (problem) =>
      'It is recorded, and every paid request checks it from now on. But the workers could not be notified. ' +
      `${messageOf(exitErrorOf(problem.cause))} Run the same command again when Temporal is back.`,
  },
  'odd-token': {
    exit: 'api',
    words: (_, sentence) => `${sentence} ${tokenAdvice('your account')}. Nothing was spent.`,
  },
  'odd-proxy': { exit: 'api', words: (_, sentence) => `${sentence} Nothing was sent, nothing was spent.` },
  'token-refused': {
    exit: 'api',
    words: ({ apiUrl, failure }) =>
      `The API at ${apiUrl} refuses the token: ${sentenceOf(failure)} ${tokenAdvice('this service')}. Nothing was spent.`,
  },
  'api-away': {
    exit: 'api',
    words: ({ apiUrl, failure }) =>
      failure.class === 'NotSent'
        ? `The API at ${apiUrl} cannot be reached: ${sentenceOf(failure)} Check VOXBATCH_API_URL and the network, ` +
          'then run the same command again. Nothing was spent.'
        : `The API at ${apiUrl} does not return the account's profile: ${sentenceOf(failure)} Try again later, ` +
          'or check VOXBATCH_API_URL. Nothing was spent.',
  },
  'voices-unread': {
    exit: 'api',
    words: (_, sentence) =>
      `${sentence} Nothing was sent. Nothing was spent. Run the same command again later, or use the ids of the voices.`,
  },
  'no-schema': {
    exit: 'api',
    words: (_, sentence) =>
      `${stopped(sentence)} voxbatch works without it: voxbatch doctor checks the rest. Nothing was spent.`,
  },
  'no-schedule': {
    exit: 'usage',
    next: 'voxbatch schedule list',
    words: (problem, sentence) => {
      const known = problem.known.join(', ');
      return `${sentence} Known: ${known === '' ? 'none' : known}. Nothing was changed.`;
    },
  },
  'schedule-taken': {
    exit: 'usage',
    words: (problem, sentence) =>
      `${sentence} Change it: voxbatch schedule update ${shellWord(problem.schedule)}. Or delete it first: voxbatch schedule delete ${shellWord(problem.schedule)}. Nothing was changed.`,
  },
  'schedule-unsettled': {
    exit: 'usage',
    words: (problem, sentence) =>
      `${sentence} Make it again: voxbatch schedule delete ${shellWord(problem.schedule)}, then voxbatch schedule create. Nothing was changed.`,
  },
  'schedule-refused': { exit: 'usage', words: (_, sentence) => `${sentence} Nothing was changed. Nothing was spent.` },
  'schedule-silent': {
    exit: 'unreachable',
    words: (_, sentence) =>
      `${sentence} It may or may not have been done. Nothing is lost. Look when Temporal is back: voxbatch schedule list`,
  },
  'other-realm': {
    exit: 'usage',
    words: (problem, sentence) => {
      const advice = { api: 'Set VOXBATCH_API_URL, or use --api-url', account: tokenAdvice() };
      return `${sentence} ${advice[problem.differs]}. Nothing was changed. Nothing was spent.`;
    },
  },
};

/** `rm` of a link leaves what it leads to. */
function linkAdvice(path: string): string {
  return `Remove it: rm ${shellWord(path)}. Or write elsewhere: --out FOLDER, which may be the folder behind a link of yours.`;
}

function sentenceOf({ message }: Failure): string {
  return stopped(message);
}

/** With a full stop at its end. */
function stopped(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
