import type { ExitName } from '../../contract/exit-codes.ts';
import type { EarlyServer } from '../../client/temporal/early-server.ts';
import type { FollowEnd } from '../../client/look/follow.ts';
import { messageOf } from '../../client/problem.ts';
import type { WebhookNews } from '../../client/webhooks/webhook-news.ts';
import { Workplace } from '../../client/work/workplace.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Invocation } from '../invocation.ts';
import { ExitError } from '../exit-error.ts';
import { webhookNewsWords } from '../terminal/webhook-news.ts';
import { goOnCommand } from '../terminal/command.ts';
import { firstNotice, listenForInterrupt, type Interrupt, type InterruptExit } from './interrupt.ts';
import { exitErrorOf } from '../exit-of-problem.ts';
import { withLeftOnRecord } from './left-on-record.ts';
import { followAndTell, type FollowedBatch } from './follow-and-tell.ts';
import { tellLast } from './tell-last.ts';
import { spawnUp } from '../serve/spawn-up.ts';
import { logOf, type Output } from '../terminal/output.ts';

/** A batch to work on. */
export interface WorkRequest extends FollowedBatch {
  /** The embedded server, if it was started early; it is taken over. */
  readonly server?: EarlyServer | undefined;
  /** Leave the work to the `voxbatch up` of this home while it is there. Default false. */
  readonly usesUp?: boolean;
}

/** How the work of this command ended. */
export type WorkEnd = 'closed' | 'paused' | 'detached' | InterruptExit;

/**
 * Has a batch worked on, and follows it: joins Temporal, starts a worker in this process (embedded), starts or finds
 * the workflow. An interrupt ends it in order: the worker waits for its requests in flight, then leaves the server,
 * which stops if nobody else is in. The hooks of the batch come last.
 *
 * Returns what `finish` makes of the end. `finish` is called when all this is over; for a closed batch earlier, so that
 * its files do not wait for the worker, which may have other batches.
 */
export async function workOnBatch(
  request: WorkRequest,
  invocation: Invocation,
  finish: (end: WorkEnd) => Promise<ExitName>,
): Promise<ExitName> {
  const { record, out, server, usesUp = false } = request;
  const { session, output, detach, atFaultPoint, webhook } = invocation;
  const { settings } = session;
  const [ledger, store, open] = [await session.ledger(), await session.store(), await session.api()];
  const onWebhook = (news: WebhookNews): void => {
    output.say(webhookNewsWords(news));
  };
  const watched = { say: output.say, onLog: logOf(output), atFaultPoint, webhook, onWebhook };
  const worker = detach ? 'others' : usesUp ? 'up' : 'own';
  const workplace = new Workplace({ settings, ledger, store, open, worker, server, ...watched });
  const { fault } = workplace;
  const interrupt = listen(output, request, workplace);
  const signal = AbortSignal.any([interrupt.signal, fault]);
  const finishAndTell = async (why: WorkEnd): Promise<ExitName> => {
    // First, so that the files are there.
    const exit = await finish(why);
    return why === 'closed' || why === 'paused'
      ? tellLast(exit, why, { batch: record.name, session, say: output.say, interrupt, signal })
      : exit;
  };
  const leave = (): Promise<void> => workplace.leave(interrupt.patienceMs());
  let end: WorkEnd | undefined;
  let isUnderWay = false;
  try {
    if (detach && settings.cluster === undefined && out !== null)
      spawnUp(settings, open, { batch: record.name, out, webhook });
    await workplace.open(signal);
    isUnderWay = true;
    const followed = await followAndTell(workplace, request, invocation, signal);
    if (followed !== 'detached' && (await isOver(ledger, record.name, followed))) {
      const [made] = await Promise.allSettled([finishAndTell('closed'), leave()]);
      if (made.status === 'rejected') throw made.reason;
      if (fault.aborted) throw faultError(fault.reason, request);
      return made.value;
    }
    await leave();
    if (fault.aborted && followed !== 'detached') throw faultError(fault.reason, request);
    end = followed === 'detached' ? followed : endOf(followed, interrupt);
  } catch (thrown) {
    const error = exitErrorOf(thrown, out);
    await leave();
    if (error instanceof ExitError) throw request.isNew && !isUnderWay ? withLeftOnRecord(error, record) : error;
    if (!interrupt.signal.aborted) throw error;
    end = interrupt.exit();
  } finally {
    if (!interrupt.signal.aborted || end === undefined) interrupt.dispose();
  }
  try {
    return await finishAndTell(end);
  } finally {
    // Not before: without a listener, a second Ctrl-C while the files are written would kill the process without a
    // word.
    interrupt.dispose();
  }
}

function listen(output: Output, { record, out }: FollowedBatch, workplace: Workplace): Interrupt {
  return listenForInterrupt(
    (exit) => {
      output.say(`\n${firstNotice(exit)}`);
    },
    () => {
      // Print first: stderr is written synchronously, and no later failure can take the words away.
      output.say(`Ended at once. Continue with: ${goOnCommand(record, out)}`);
      workplace.leaveAtOnce();
    },
  );
}

/**
 * Whether the files can be written while the worker is still ending: the batch is closed, and no answer can still
 * change a sum.
 */
async function isOver(ledger: Ledger, batch: string, { why }: FollowEnd): Promise<boolean> {
  return why === 'closed' && (await ledger.money(batch)).reserved === 0;
}

function endOf(end: FollowEnd, interrupt: Interrupt): WorkEnd {
  if (end.why === 'broken')
    throw new ExitError('internal', `${end.message} Nothing is lost: run the same command again.`);
  return end.why === 'aborted' ? interrupt.exit() : end.why;
}

function faultError(fault: unknown, { record, out }: FollowedBatch): ExitError {
  return new ExitError(
    'unreachable',
    `${messageOf(fault)}\nThe batch stands still. Nothing is lost, nothing more is spent. When that is fixed, continue with: ${goOnCommand(record, out)}`,
    {
      cause: fault,
    },
  );
}
