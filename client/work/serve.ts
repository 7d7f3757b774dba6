import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultPointHook } from '../../activities/fault-points.ts';
import { defaultOut } from '../../contract/batch-name.ts';
import { isTokenRefused } from '../../batches/status/standstill.ts';
import type { WorkerDuty } from '../../contract/worker-duty.ts';
import { isUndelivered } from '../../contract/hooks.ts';
import { realmDifference } from '../../contract/names.ts';
import type { WorkerVersion } from '../../contract/worker-version.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { ownNotices, startHookDelivery, type BackgroundDelivery } from '../hooks/deliver-notices.ts';
import { realmOf, type ConnectedApi } from '../connect-api.ts';
import type { Session } from '../session.ts';
import { openTemporal, type Temporal } from '../temporal/open-temporal.ts';
import { requireNamespace } from '../temporal/require-server.ts';
import { isCurrent, setCurrentCommand } from '../worker-versions/current-version.ts';
import type { WebhookEvent, WebhookSettings } from '../webhooks/webhook-options.ts';
import { startLocalWorker } from './start-local-worker.ts';
import { warnOfLittleDisk } from '../machine-faults.ts';
import { laneMessages } from './lane-messages.ts';
import type { LogListener } from './worker-log.ts';
import { superviseBatches } from './supervise-batches.ts';
import { writeEndedBatch } from '../../batches/write-ended-batch.ts';
import { wantedReport, type ReportWords } from '../report/wanted-report.ts';
import { voxbatchVersion } from '../version.ts';

/** Events of a worker. */
export type ServeEvent =
  /** It is ready for work. `temporal`: the server's address. */
  | {
      readonly type: 'working';
      readonly account: string;
      readonly apiUrl: string;
      readonly temporal: string;
      readonly only?: WorkerDuty | undefined;
    }
  | { readonly type: 'webhook'; readonly event: WebhookEvent }
  /**
   * A sentence for the user, such as a slow step in progress. `isLogged`: the worker's log has an event that says the
   * same.
   */
  | { readonly type: 'note'; readonly text: string; readonly isLogged: boolean }
  | WriteEvent;

/** Options of {@link serve}. */
export interface ServeOptions {
  /** This worker's only duty. Default: it has both. */
  readonly only?: WorkerDuty | undefined;
  /** Webhooks to receive in this process. */
  readonly webhook?: WebhookSettings | undefined;
  /** Exit when no batch of this account is open, or none can continue with this token. */
  readonly untilIdle?: boolean | undefined;
  /** A batch whose files to write once it is finished. */
  readonly batch?: string | undefined;
  /** Words for the report among them. */
  readonly reportWords?: ReportWords | undefined;
  /** Out folder for these files. Default: `out/<batch>`. */
  readonly out?: string | undefined;
  /** Takes part in Temporal's Worker Versioning as this version. Clusters only. */
  readonly version?: WorkerVersion | undefined;
  /** Interval between rounds over the open batches, ms. Default: 30 s. */
  readonly roundEveryMs?: number | undefined;
  readonly onEvent: (event: ServeEvent) => void;
  readonly onLog?: LogListener | undefined;
  /** Called when the worker is ready for work. */
  readonly onReady?: (() => void) | undefined;
  /**
   * Shuts down gracefully: no new work is accepted, requests in flight are drained, hooks are delivered, and the
   * embedded server stops last.
   */
  readonly signal: AbortSignal;
  /** Aborts when the process is about to exit immediately; everything it leaves is safe. */
  readonly atOnce: AbortSignal;
  /** Max wait for requests in flight, ms; undefined means as long as they take. */
  readonly patienceMs: () => number | undefined;
  readonly atFaultPoint?: FaultPointHook | undefined;
}

/** How serving ended. `fault`: work is stuck, and retrying cannot fix it. */
export type ServeEnd = { readonly type: 'ended' } | { readonly type: 'fault'; readonly cause: unknown };

/** Default interval between rounds over the open batches, ms. */
const ROUND_EVERY_MS = 30_000;

/**
 * Hooks of batches that other commands have started are left to these commands for this long, ms: they write the files
 * first, which a hook may need.
 */
const HOOKS_OF_OTHERS_AFTER_MS = 30_000;
/** Interval between checks for finished and idle batches, ms. */
const CHECK_EVERY_MS = 500;

/** With `untilIdle`, idle checks before exiting: the batch it was started for may take a moment to appear. */
const MIN_IDLE_CHECKS = 10;

/**
 * Works on the batches of a session's API and account until told to stop. When embedded, joins the home's server and
 * keeps it alive; with cluster settings, works for the cluster. The caller closes the session. Throws {@link
 * VoxbatchError}.
 */
export async function serve(session: Session, options: ServeOptions): Promise<ServeEnd> {
  const { settings } = session;
  const fault = new AbortController();
  const signal = AbortSignal.any([options.signal, fault.signal]);
  const say = (text: string, isLogged = false): void => {
    options.onEvent({ type: 'note', text, isLogged });
  };
  await session.api();
  await requireNamespace(settings);
  await session.ledger();
  await warnOfLittleDisk(settings, say);
  const temporal = await openTemporal(settings, { say, signal });
  const closeAtOnce = (): void => {
    temporal.closeAtOnce();
  };
  options.atOnce.addEventListener('abort', closeAtOnce);
  // Tasks that may still query Temporal after the work has ended; they end at the latest when Temporal is closed.
  const supervising: Promise<void>[] = [];
  const onFault = (error: Error): void => {
    fault.abort(error);
  };
  try {
    await work(session, temporal, { ...options, signal, fault: fault.signal, say, onFault, supervising });
  } finally {
    await temporal.close();
    options.atOnce.removeEventListener('abort', closeAtOnce);
    await Promise.allSettled(supervising);
  }
  return fault.signal.aborted ? { type: 'fault', cause: fault.signal.reason } : { type: 'ended' };
}

interface Work extends ServeOptions {
  readonly say: (line: string, isLogged?: boolean) => void;
  readonly onFault: (error: Error) => void;
  /** Aborts with the first fault. */
  readonly fault: AbortSignal;
  /** Receives the task that supervises the batches. */
  readonly supervising: Promise<void>[];
}

/** Works until the signal aborts or nothing is left to do, supervising open batches meanwhile. */
async function work(session: Session, temporal: Temporal, options: Work): Promise<void> {
  const { only, webhook, untilIdle = false, batch, onEvent, say, signal, onFault, onLog, atFaultPoint } = options;
  const { settings } = session;
  const open = await session.api();
  const ledger = await session.ledger();
  const store = await session.store();
  const laneLine = laneMessages();
  const worker = await startLocalWorker({
    ...{ temporal, ledger, store, open, settings, only, webhook, onFault, atFaultPoint, onLog, say },
    version: options.version,
    observe: (event) => {
      const line = laneLine(event);
      if (line !== undefined) say(line, true);
    },
    onWebhook: (event) => {
      onEvent({ type: 'webhook', event });
    },
  });
  worker.ended.catch(onFault);
  const leaving = new AbortController();
  let hookDelivery: BackgroundDelivery | undefined;
  try {
    onEvent({ type: 'working', ...realmOf(open), temporal: temporal.address, only });
    if (options.version !== undefined) await sayIfNotCurrent(temporal, options.version, say);
    const supervisor = { temporal, ledger, owner: worker.owner, only, version: options.version };
    const supervising = superviseBatches({
      ...supervisor,
      say,
      isMine: (one) => isOpenFor(one, open),
      everyMs: options.roundEveryMs ?? ROUND_EVERY_MS,
      signal: AbortSignal.any([signal, leaving.signal]),
    });
    supervising.catch(onFault);
    options.supervising.push(supervising);
    const write = batch === undefined ? undefined : writeWhenClosed(session, batch, options);
    // With `untilIdle`, no later process may be there to deliver them.
    const othersAfterMs = untilIdle && batch === undefined ? undefined : HOOKS_OF_OTHERS_AFTER_MS;
    const delivery = { ...ownNotices(settings, open), ledger, batch, othersAfterMs, say, before: write };
    hookDelivery = startHookDelivery(delivery);
    hookDelivery.ended.catch(onFault);
    options.onReady?.();
    await waitForEnd(ledger, open, options, write);
  } finally {
    leaving.abort();
    // However this ends, requests in flight can still be recorded in the ledger, and running hooks get time to finish.
    const because = options.fault.reason as Error | undefined;
    const worked = worker.end(options.patienceMs(), because).catch(onFault);
    await hookDelivery?.end(worked);
    await worked;
  }
}

/** Waits until the signal aborts or, with `untilIdle`, nothing is left to do. Calls `write` at each check. */
async function waitForEnd(
  ledger: Ledger,
  open: ConnectedApi,
  { untilIdle = false, batch, signal }: Work,
  write: (() => Promise<void>) | undefined,
): Promise<void> {
  for (let idle = 0; !signal.aborted && !(untilIdle && idle > MIN_IDLE_CHECKS);) {
    await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    await write?.();
    idle = !untilIdle || (await isBusy(ledger, open, batch)) ? 0 : idle + 1;
  }
}

/** Tells the user if this version is not the deployment's current one: until then it gets no new batch. */
async function sayIfNotCurrent(temporal: Temporal, version: WorkerVersion, say: (line: string) => void): Promise<void> {
  if ((await isCurrent(temporal, version)) !== false) return;
  say(
    `Version ${version.buildId} of deployment ${version.deploymentName} gets no new batch before it is the current one. To make it so: ${setCurrentCommand(temporal, version)}`,
  );
}

/** Whether an open batch can continue, or a hook of `batch` is untried or being delivered. */
async function isBusy(ledger: Ledger, open: ConnectedApi, batch: string | undefined): Promise<boolean> {
  const batches = await ledger.listBatches();
  if (batches.some((one) => isOpenFor(one, open) && !isTokenRefused(one))) return true;
  return batch !== undefined && (await ledger.noticesOf(batch)).some(isUndelivered);
}

/** True for an open batch of this API and account. */
function isOpenFor(batch: BatchRecord, open: ConnectedApi): boolean {
  return batch.state === 'open' && realmDifference(batch, realmOf(open)) === undefined;
}

/** Result of writing the files of a batch that nobody follows. */
export type WriteEvent = { readonly batch: string; readonly out: string } & (
  | ({ readonly type: 'written' } & Pick<Awaited<ReturnType<typeof writeEndedBatch>>, 'kept' | 'reportProblem'>)
  | { readonly type: 'unwritten'; readonly cause: unknown }
);

/**
 * Returns a function that writes the files of a batch that nobody follows once it is finished, and again after a
 * redrive or a late answer. Call it periodically; concurrent calls are fine. Never throws: failed writes can be
 * repeated later.
 */
function writeWhenClosed(
  session: Session,
  name: string,
  { out: folder = defaultOut(name), onEvent, reportWords }: ServeOptions,
): () => Promise<void> {
  const out = resolve(folder);
  let written: string | undefined;
  const write = async (): Promise<void> => {
    const ledger = await session.ledger();
    const batch = await ledger.findBatch(name);
    if (batch?.state !== 'closed') return;
    const end = `${String(batch.closedAt)} ${String((await ledger.money(name)).reserved)}`;
    if (end === written) return;
    written = end;
    try {
      const store = await session.store();
      const report = wantedReport({ ledger, settings: session.settings, batch, out, reportWords });
      const request = { ledger, store, batch, out, report, voxbatchVersion: voxbatchVersion() };
      const { kept, reportProblem } = await writeEndedBatch(request);
      onEvent({ type: 'written', batch: name, out, kept, reportProblem });
    } catch (cause) {
      onEvent({ type: 'unwritten', batch: name, out, cause });
    }
  };
  let last = Promise.resolve();
  // Serialized, so that the last caller knows that the files are written.
  return () => (last = last.then(write));
}
