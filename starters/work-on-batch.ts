import { ServiceError } from '@temporalio/client';
import type { FaultPointHook } from '../activities/fault-points.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import type { Store } from '../store/store.ts';
import type { RunningWorker } from '../worker/run-worker.ts';
import type { EarlyServer } from '../client/early-server.ts';
import { startEmbeddedWorker } from '../client/embedded-worker.ts';
import { messageOf } from '../client/problem.ts';
import { ExitError } from './exit-error.ts';
import { followBatch, type FollowEnd } from './follow.ts';
import { goOnCommand } from './go-on-command.ts';
import { listenForInterrupt, type Interrupt, type InterruptExit } from './interrupt.ts';
import type { OpenApi } from '../client/open-api.ts';
import { openTemporal, type Temporal } from '../client/open-temporal.ts';
import type { Settings } from '../client/settings.ts';
import { exitErrorOf } from './problem-words.ts';
import { isPausedByFailures } from '../batches/paused-by-failures.ts';
import { refusedStart } from './refused-start.ts';
import { askWorkflow, startWorkflow } from '../client/start-workflow.ts';
import { spawnUp } from './spawn-up.ts';
import { logOf, type Output } from './terminal/output.ts';
import { voxbatchVersion } from '../client/version.ts';

export interface WorkRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly open: OpenApi;
  readonly record: BatchRecord;
  /** False if a workflow of an earlier command may be there. */
  readonly isNew: boolean;
  readonly batch: string;
  readonly out: string;
  readonly output: Output;
  readonly detach: boolean;
  /** Never wait for a person. */
  readonly yes: boolean;
  readonly atFaultPoint: FaultPointHook | undefined;
  /** The embedded server, where it was begun already; it is taken over. */
  readonly server?: EarlyServer | undefined;
}

/** How the work of this command ended. */
export type WorkEnd = 'closed' | 'paused' | 'detached' | InterruptExit;

/**
 * Sees to it that a batch is worked on, and follows it: joins Temporal, starts a worker in this process (embedded), starts
 * or finds the workflow. An interrupt ends it in order: the worker finishes its requests on the wire, then the server is
 * left, which stops if nobody else is in.
 *
 * Returns what `finish` makes of the end. It is called when all this is over; for a batch that is closed already before, so that its
 * files do not wait for the worker, which may have other batches.
 */
export async function workOnBatch<T>(request: WorkRequest, finish: (end: WorkEnd) => Promise<T>): Promise<T> {
  const { settings, output, record, server } = request;
  const fault = new AbortController();
  const onFault = (error: Error): void => {
    fault.abort(error);
  };
  let temporal: Temporal | undefined;
  let worker: RunningWorker | undefined;
  const interrupt = listenForInterrupt(
    () => {
      output.say('\nFinishing the requests in flight … (Ctrl-C again stops at once, also safely)');
    },
    () => {
      temporal?.closeAtOnce();
      output.say(`Stopped at once. Continue with: ${goOnCommand(record)}`);
    },
  );
  const signal = AbortSignal.any([interrupt.signal, fault.signal]);
  const leave = async (): Promise<void> => {
    await worker?.end(interrupt.patienceMs()).catch(onFault);
    await temporal?.close();
  };
  let end: WorkEnd;
  let isUnderWay = false;
  try {
    if (request.detach && settings.cluster === undefined) spawnUp(settings, request.open);
    temporal = await openTemporal(settings, { say: output.say, signal, server });
    if (temporal.isEmbedded && !request.detach) {
      worker = await startEmbeddedWorker({ ...request, temporal, home: settings.home, onFault, onLog: logOf(output) });
      worker.ended.catch(onFault);
    }
    isUnderWay = true;
    const followed = await workWith(request, temporal, { signal, worksHere: worker !== undefined });
    if (followed !== 'detached' && (await isOver(request, followed))) {
      const [made] = await Promise.allSettled([finish('closed'), leave()]);
      if (made.status === 'rejected') throw made.reason;
      if (fault.signal.aborted) throw faultError(fault.signal.reason, record);
      return made.value;
    }
    await leave();
    if (fault.signal.aborted && followed !== 'detached') throw faultError(fault.signal.reason, record);
    end = followed === 'detached' ? followed : endOf(followed, interrupt);
  } catch (thrown) {
    const error = exitErrorOf(thrown);
    await leave();
    if (error instanceof ExitError) throw request.isNew && !isUnderWay ? refusedStart(error, record) : error;
    if (!interrupt.signal.aborted) throw error;
    end = interrupt.exit();
  } finally {
    interrupt.dispose();
  }
  return finish(end);
}

async function workWith(
  request: WorkRequest,
  temporal: Temporal,
  { signal, worksHere }: { readonly signal: AbortSignal; readonly worksHere: boolean },
): Promise<FollowEnd | 'detached'> {
  const { ledger, record, output } = request;
  // A batch that paused by itself goes on when it is run again; one that a person paused waits for `resume`.
  if (record.control === 'paused' && record.pauseReason !== null && !isPausedByFailures(record))
    await ledger.setControl(record.name, 'running');
  const news = { news: !request.isNew };
  let handle = await startWorkflow(temporal.client, ledger, record, news).catch(silentTemporal(record));
  if (request.detach) return 'detached';
  return followBatch({
    ...request,
    voxbatchVersion: voxbatchVersion(),
    signal,
    waitWhilePaused: output.isInteractive && !request.yes,
    fetchesHere: worksHere,
    askWorkflow: () => askWorkflow(temporal.client, handle),
    startAgain: async () => {
      // If Temporal does not take it now, the next look asks again.
      handle = await startWorkflow(temporal.client, ledger, record, { news: true }).catch((error: unknown) => {
        unlessSilent(error);
        return handle;
      });
    },
  });
}

/** Whether the files can be written while the worker is still ended: the batch is closed, and no answer can still change a sum of it. */
async function isOver({ ledger, batch }: WorkRequest, { why }: FollowEnd): Promise<boolean> {
  return why === 'closed' && (await ledger.money(batch)).reserved === 0;
}

function endOf(end: FollowEnd, interrupt: Interrupt): WorkEnd {
  if (end.why === 'broken')
    throw new ExitError('internal', `${end.message} Nothing is lost: run the same command again.`);
  return end.why === 'aborted' ? interrupt.exit() : end.why;
}

/** Temporal is there, but does not take what it is told: it hangs, or its disk is full. */
function silentTemporal(batch: BatchRecord): (error: unknown) => never {
  return (error) => {
    unlessSilent(error);
    throw new ExitError(
      'unreachable',
      `Temporal did not accept the batch: ${messageOf(error)}. Nothing is lost, nothing was spent by this command. ` +
        `When that is fixed, continue with: ${goOnCommand(batch)}`,
      { cause: error },
    );
  };
}

function unlessSilent(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

function faultError(fault: unknown, batch: BatchRecord): ExitError {
  const words = fault instanceof Error ? fault.message : String(fault);
  return new ExitError(
    'unreachable',
    `${words}\nThe batch stands still. Nothing is lost, nothing more is spent. When that is fixed, continue with: ${goOnCommand(batch)}`,
    {
      cause: fault,
    },
  );
}
