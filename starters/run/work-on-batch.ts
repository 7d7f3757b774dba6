import { AnswersLost } from '../../contract/answers-lost.ts';
import { messageOf } from '../../contract/message-of.ts';
import {
  endWaitingAfter,
  hasUndeliveredHook,
  deliverHooks,
  workOn,
  type FollowedBatch,
  type WorkEnd as End,
} from '../../client/run/work.ts';
import type { EarlyServer } from '../../client/temporal/early-server.ts';
import { viewExitAfter, type ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { exitErrorOf } from '../exit-of-problem.ts';
import { ExitError } from '../exit-error.ts';
import type { Invocation } from '../invocation.ts';
import { spawnUp } from '../serve/spawn-up.ts';
import { goOnCommand, sameAgain } from '../terminal/words.ts';
import type { TakeNote } from '../recorded-take.ts';
import { jsonLine, logOf, sayUnlogged, type Output } from '../terminal/output.ts';
import { webhookEventWords } from '../terminal/webhook-event-words.ts';
import { firstNotice, listenForInterrupt, type Interrupt, type InterruptExit } from './interrupt.ts';
import { viewFollowed } from '../../client/status/event-view.ts';
import type { FollowEnd, FollowEvent } from '../../client/status/follow.ts';
import { storeAwayMessage } from '../../client/status/report-outages.ts';
import { haltMessage } from '../terminal/next-steps.ts';
import { pauseMessageFor, standstillWords, waitMessage } from '../terminal/pause-words.ts';
import { ProgressDisplay } from '../terminal/progress.ts';

/** A batch to work on. */
export interface WorkRequest extends FollowedBatch {
  /** The embedded server if it was started early; this command takes it over. */
  readonly server?: EarlyServer | undefined;
  /** Leave the work to this home's `voxbatch up` while it runs. Default: false. */
  readonly usesUp?: boolean;
  /** This command has opened ended rows of the batch, and repeating it could open them again. Default: false. */
  readonly isReopened?: boolean;
}

/** Why this command works on the batch no more. */
export type WorkEnd = Exclude<End, 'aborted'> | InterruptExit;

/**
 * Works on a batch, shows its progress, and returns the exit code of `finish`, which writes files and prints the
 * summary. Ctrl-C, SIGTERM and a closed terminal end the work gracefully; see {@link workOn}. Throws {@link ExitError}.
 */
export async function workOnBatch(
  request: WorkRequest,
  invocation: Invocation,
  finish: (end: WorkEnd) => Promise<ExitName>,
): Promise<ExitName> {
  const { record, out, usesUp = false } = request;
  const { session, output, detach, person, webhook, takeNote } = invocation;
  const { settings } = session;
  let isFinished = false;
  const interrupt = listenWhileWorking(request, invocation, () => isFinished);
  try {
    // Opens the ledger, and so before the store: opening the store claims it for this ledger, which a copied ledger may
    // not do before the user has accepted it.
    await endWaitingAfter(session, interrupt.signal);
    if (detach && settings.cluster === undefined && out !== null) {
      // Throws for a wrong store, with which the background process could not work.
      await session.store();
      spawnUp(settings, await session.api(), { batch: record.name, out, webhook });
    }
    const worked = await workOn({
      ...request,
      session,
      detach,
      webhook,
      atFaultPoint: invocation.atFaultPoint,
      say: sayUnlogged(output),
      onLog: logOf(output),
      worker: detach ? 'others' : usesUp ? 'up' : 'own',
      // With `--yes`, nothing waits for a person.
      waitWhilePaused: output.isInteractive && !person.yes,
      interruption: interrupt,
      onWebhook: (event) => {
        output.say(webhookEventWords(event));
      },
      show: (events) => showFollowed(events, output, { out, isCluster: settings.cluster !== undefined }),
      finish: async (end) => {
        const exit = await finish(end === 'aborted' ? interrupt.exit() : end);
        isFinished = true;
        return exit;
      },
      // No worker runs here any more, so a signal may simply end the process.
      onLeft: () => {
        interrupt.dispose();
      },
    });
    if (worked.type === 'ended') return worked.exit;
    throw errorOf(worked, request, takeNote);
  } catch (error) {
    throw exitErrorOf(error, out);
  } finally {
    // Not earlier, because a second Ctrl-C while files are written must not kill the process without a message.
    interrupt.dispose();
  }
}

/**
 * Listens for the signals that end the work, and prints what goes on. `isFinished`: whether the command has printed its
 * line of JSON.
 */
function listenWhileWorking(
  request: WorkRequest,
  { output, json, takeNote }: Invocation,
  isFinished: () => boolean,
): Interrupt {
  return listenForInterrupt(
    (exit) => {
      output.say(`\n${firstNotice(exit)}`);
    },
    (exit) => {
      // Print first: both streams are written synchronously, so no later failure can lose the message.
      const next = continueAfter(request);
      const message = `Ended at once. ${next === null ? sameAgain(takeNote?.taken) : `Continue with: ${next}`}`;
      output.say(message);
      const view = { message, next, ...viewExitAfter(exit, takeNote?.taken?.next) };
      if (output.event !== undefined) output.event({ type: 'ended', ...view });
      else if (json && !isFinished()) output.data(jsonLine(view));
    },
  );
}

/** Returns the command that continues; null for a single job, whose result only the same command hands out. */
function continueAfter({ record, out }: Pick<FollowedBatch, 'record' | 'out'>): string | null {
  return record.settings.single === undefined ? goOnCommand(record, out) : null;
}

/** Returns the error for work that did not start or broke off. */
function errorOf(
  worked: Exclude<Awaited<ReturnType<typeof workOn>>, { readonly type: 'ended' }>,
  { record, out, isNew, isReopened = false }: WorkRequest,
  takeNote: TakeNote | undefined,
): unknown {
  switch (worked.type) {
    case 'not-started': {
      const error = exitErrorOf(worked.error, out);
      if (!(error instanceof ExitError)) return error;
      if (isReopened) return withReopened(error, worked.error as Error, record);
      return isNew ? withLeftOnRecord(error, record) : error;
    }
    case 'broken':
      return new ExitError('internal', `${worked.message} Nothing is lost: run the same command again.`);
    case 'fault': {
      const next = continueAfter({ record, out });
      const then = next === null ? sameAgain(takeNote?.taken) : `continue with: ${next}`;
      const loss = worked.cause instanceof AnswersLost ? 'Nothing more' : 'Nothing is lost, nothing more';
      return new ExitError(
        'unreachable',
        `${messageOf(worked.cause)}\nThe batch stands still. ${loss} is spent. When that is fixed, ${then}`,
        { cause: worked.cause },
      );
    }
  }
}

/**
 * Returns the error of a refused start after rows were reopened. The usual advice, to run the same command again, could
 * pay for them twice, so it is replaced.
 */
export function withReopened({ exit, next }: ExitError, cause: Error, { name }: { readonly name: string }): ExitError {
  const shown = shellWord(name);
  return new ExitError(
    exit,
    `${cause.message}\nThe rows are recorded as open in batch "${name}", and ${WHO_PAYS}. Do not repeat this command: once they have ended, ` +
      `it would pay for them again. Follow them with: voxbatch watch ${shown}. To prevent that they are sent: voxbatch stop ${shown}`,
    { cause, next: next ?? `voxbatch watch ${shown}` },
  );
}

/** Who works on rows that a refused start has left open. */
const WHO_PAYS = 'workers that run on this ledger pay for them, or the next run, up or worker that begins';

/** Returns the error of a refused start, with a warning that workers will find the recorded batch and pay for it. */
export function withLeftOnRecord(error: ExitError, { name }: { readonly name: string }): ExitError {
  return new ExitError(
    error.exit,
    `${error.message}\nBatch "${name}" is recorded with all its rows, and ${WHO_PAYS}. ` +
      `To prevent that: voxbatch stop ${shellWord(name)}`,
    { cause: error },
  );
}

/**
 * Calls `finish` for a batch that was closed before, then delivers its hook if the process that closed it was killed
 * first. Returns the exit code.
 */
export async function finishClosed(
  batch: string,
  { session, output: { say }, takeNote }: Pick<Invocation, 'session' | 'output' | 'takeNote'>,
  finish: () => Promise<ExitName>,
): Promise<ExitName> {
  const exit = await finish();
  if (!(await hasUndeliveredHook(session, batch))) return exit;
  const interruption = listenForInterrupt(() => {
    say(`The hook is still to be told. To tell it, run ${takeNote?.taken?.instead ?? 'the same command again'}.`);
  });
  try {
    return await deliverHooks(exit, 'closed', { batch, session, say, interruption, signal: interruption.signal });
  } finally {
    interruption.dispose();
  }
}

/** Where the followed batch works. */
interface FollowedPlace {
  /** Its out folder; null if unknown. */
  readonly out: string | null;
  /** Its workers run elsewhere. */
  readonly isCluster: boolean;
}

/** Shows a followed batch: its progress, and lines for other events. Returns how following ended. */
export async function showFollowed(
  events: AsyncIterable<FollowEvent>,
  output: Output,
  place: FollowedPlace = { out: null, isCluster: false },
): Promise<FollowEnd> {
  const display = new ProgressDisplay(output);
  for await (const event of events) {
    if (event.type === 'ended') {
      // Clears what is shown, in case a signal came after the last progress event.
      display.end();
      return event;
    }
    if (event.type === 'progress') {
      display.show(event.standing, event.isLast);
      continue;
    }
    output.event?.(viewFollowed(event));
    for (const line of linesFor(event, place, output)) output.say(line);
  }
  throw new Error('Following a batch ended without saying why.');
}

function linesFor(
  event: Exclude<FollowEvent, { readonly type: 'ended' | 'progress' }>,
  { out, isCluster }: FollowedPlace,
  output: Output,
): readonly string[] {
  switch (event.type) {
    case 'paused': {
      const { batch, waits, advice: readOnlyAdvice } = event;
      // A command that does not wait for `resume` ends now, and with it the batch's worker.
      return [
        pauseMessageFor(output, batch, { isDeserted: !waits, isCluster, out, readOnlyAdvice }),
        waitMessage(batch, waits),
      ];
    }
    case 'stopping':
      return [stopMessage(event.batch)];
    case 'standstill':
      return [standstillWords(event.standstill, event.batch)];
    case 'restarted':
      return [`${event.message} It continues with a new one.`];
    case 'silent':
      return ['Temporal does not answer. This command and the workers wait for it.'];
    case 'store-away':
      return [storeAwayMessage(event.why, event.needsPerson)];
    case 'store-back':
      return ['The store answers again.'];
  }
}

/** Returns why the batch is stopping, and what it still does. */
function stopMessage({ name, halted }: Extract<FollowEvent, { readonly type: 'stopping' }>['batch']): string {
  const why = halted === null ? `Batch "${name}" is stopping.` : haltMessage(halted);
  return `${why} No more paid requests are sent; the rest is cancelled.`;
}
