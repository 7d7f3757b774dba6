import type { Failure } from '../contract/failures.ts';
import { VoxbatchError, type Problem, messageOf } from '../client/problem.ts';
import { tokenAdvice } from './connect/api-token.ts';
import { ExitError } from './exit-error.ts';
import { goOnCommand, shellWord } from './go-on-command.ts';
import { namedRow } from './row-words.ts';
import { describeTrouble } from './machine-trouble.ts';

/** The exit code and the words of a command that something stands in the way of; any other error as it is. */
export function exitErrorOf(error: unknown): unknown {
  if (!(error instanceof VoxbatchError)) return error;
  const { problem } = error;
  return new ExitError(EXITS[problem.type], wordsFor(problem, error.message), {
    cause: error,
    next: NEXT[problem.type],
  });
}

/** The next command, where it is not the usual one of the exit code. */
const NEXT: Readonly<Partial<Record<Problem['type'], string>>> = {
  'no-ledger': 'voxbatch init',
  'no-batch': 'voxbatch list',
  'no-schedule': 'voxbatch schedule list',
};

const EXITS = {
  'bad-option': 'usage',
  'no-api': 'api',
  'no-ledger': 'usage',
  'no-batch': 'usage',
  machine: 'unreachable',
  'store-of-another': 'usage',
  'unwritable-out': 'usage',
  'taken-out': 'usage',
  loading: 'usage',
  'no-price': 'refused',
  'no-server': 'unreachable',
  'no-cluster': 'unreachable',
  'ledger-in-use': 'unreachable',
  'server-gone': 'unreachable',
  'not-started': 'unreachable',
  untold: 'unreachable',
  'odd-token': 'api',
  'no-profile': 'api',
  'no-schedule': 'usage',
  'schedule-taken': 'usage',
  'schedule-refused': 'usage',
  'schedule-silent': 'unreachable',
  'other-realm': 'usage',
} as const satisfies Readonly<Record<Problem['type'], ExitError['exit']>>;

/** What is wrong, whether money was spent, what to do next. `sentence` says what is wrong. */
function wordsFor(problem: Problem, sentence: string): string {
  switch (problem.type) {
    case 'bad-option':
    case 'no-api':
      return `${sentence} Nothing was spent.`;
    case 'no-ledger':
      return `${sentence} Start one: voxbatch run MANIFEST`;
    case 'no-batch': {
      const known = problem.known.join(', ');
      return `${sentence} ${problem.batch === undefined ? 'Start one: voxbatch run MANIFEST' : `Known: ${known === '' ? 'none' : known}.`}`;
    }
    case 'machine':
      return `${describeTrouble(problem.cause) ?? sentence} Nothing was spent by this command.`;
    case 'store-of-another':
      return `${sentence} Nothing was spent. Set VOXBATCH_STORE to another folder. If the ledger is wrong, set VOXBATCH_LEDGER or restore it from a backup.`;
    case 'unwritable-out':
      return `${sentence} Choose another with --out FOLDER. Nothing was spent.`;
    case 'taken-out':
      return (
        `${sentence} Nothing was written, nothing was spent. ` +
        'Run the same command with --out NEW-FOLDER, or move that folder away first.'
      );
    case 'loading':
      return `${sentence} Try again when it runs. If its command has died: ${goOnCommand(problem.batch)}`;
    case 'no-price':
      return (
        `No price is known for ${namedRow(problem)}, so it cannot run under a budget. Nothing was changed, nothing was spent. ` +
        `Let the batch finish without a budget, or stop it: voxbatch stop ${shellWord(problem.batch)}`
      );
    case 'no-server':
      return `${sentence} Nothing was spent by this command.`;
    case 'no-cluster':
      return (
        `${sentence} Check TEMPORAL_ADDRESS and the other TEMPORAL_ settings, or unset them to use ` +
        'the embedded server. Nothing was spent by this command.'
      );
    case 'ledger-in-use':
      return `${sentence} Nothing was sent. Stop the commands that run there, or use that server, then run the same command again.`;
    case 'server-gone':
      return `${sentence} Run the same command again. Nothing was spent by this command.`;
    case 'not-started':
      return (
        `${sentence} Nothing is lost, nothing was spent by this command. ` +
        `When that is fixed, continue with: ${goOnCommand(problem.batch)}`
      );
    case 'untold':
      return (
        'It is recorded, and every paid request checks it from now on. But the workers could not be notified. ' +
        `${messageOf(exitErrorOf(problem.cause))} Run the same command again when Temporal is back.`
      );
    case 'odd-token':
      return `${sentence} ${tokenAdvice('your account')}. Nothing was spent.`;
    case 'no-profile':
      return `${profileWords(problem.failure, problem.apiUrl)} Nothing was spent.`;
    case 'no-schedule': {
      const known = problem.known.join(', ');
      return `${sentence} Known: ${known === '' ? 'none' : known}. Nothing was changed.`;
    }
    case 'schedule-taken':
      return `${sentence} Change it: voxbatch schedule update ${shellWord(problem.schedule)}. Nothing was changed.`;
    case 'schedule-refused':
      return `${sentence} Nothing was changed, nothing was spent.`;
    case 'schedule-silent':
      return `${sentence} It may or may not have been done. Nothing is lost. Look when Temporal is back: voxbatch schedule list`;
    case 'other-realm': {
      const advice = { api: 'Set VOXBATCH_API_URL, or use --api-url', account: tokenAdvice() };
      return `${sentence} ${advice[problem.differs]}. Nothing was changed, nothing was spent.`;
    }
  }
}

function profileWords(failure: Failure, baseUrl: string): string {
  const words = /[.!?]$/.test(failure.message) ? failure.message : `${failure.message}.`;
  switch (failure.class) {
    case 'BadToken':
      return `The API at ${baseUrl} refuses the token: ${words} ${tokenAdvice('this service')}.`;
    case 'NotSent':
      return `The API at ${baseUrl} cannot be reached: ${words} Check VOXBATCH_API_URL and the network, then run the same command again.`;
    default:
      return `The API at ${baseUrl} does not return the account's profile: ${words} Try again later, or check VOXBATCH_API_URL.`;
  }
}
