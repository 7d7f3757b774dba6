import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { outageMessage } from '../status/report-outages.ts';
import { defined } from '../../contract/defined.ts';
import type { Logger } from 'pino';
import type { FaultPointHook } from '../../activities/fault-points.ts';
import type { Observe } from '../../contract/work-events.ts';
import type { WorkerDuty } from '../../contract/worker-duty.ts';
import { batchWorkflowId } from '../../contract/names.ts';
import { isLedgerFile } from '../../contract/urls.ts';
import type { SearchAttributeName } from '../../contract/search-attributes.ts';
import type { WorkerVersion } from '../../contract/worker-version.ts';
import { ownerOf } from '../../policy/lanes/worker-names.ts';
import { failAbandoned } from '../../embedded/fail-abandoned.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Store } from '../../store/store.ts';
import { newHints, newIdentity, type WorkerSetup } from '../../worker/dependencies.ts';
import { logEvents } from '../../worker/event-log.ts';
import type { OutageEvent } from '../../worker/watch-outage.ts';
import { startWorker, type RunningWorker, type WorkerStatus } from '../../worker/run-worker.ts';
import { startHeartbeats, type Heartbeats } from '../../worker/heartbeats.ts';
import type { Metrics } from '../metrics/open-metrics.ts';
import { openMediaLinks } from '../local-media/open-media-links.ts';
import type { LocalMediaLinks } from '../../store/local-media/media-links.ts';
import { realmOf, type ConnectedApi } from '../connect-api.ts';
import type { Temporal } from '../temporal/open-temporal.ts';
import { lockLedger } from '../temporal/lock-ledger.ts';
import { makeSearchAttributes, searchAttributeCommand } from '../temporal/search-attributes.ts';
import { openTraces } from '../traces/open-traces.ts';
import { VoxbatchError } from '../problem.ts';
import { voxbatchVersion } from '../version.ts';
import { WebhookUse, type WebhookRequest } from '../webhooks/use-webhook.ts';
import type { WebhookSettings, WebhookEvent } from '../webhooks/webhook-options.ts';
import { watchLeftover } from '../webhooks/watch-leftover.ts';
import type { Settings } from '../settings.ts';
import { openLog, type LogListener } from './worker-log.ts';

/** Input of {@link startLocalWorker}. */
export interface LocalWorkerRequest {
  readonly temporal: Temporal;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly open: ConnectedApi;
  readonly settings: Pick<Settings, 'home' | 'config' | 'metrics'>;
  /** Called with a fault that retrying cannot fix. */
  readonly onFault: (fault: Error) => void;
  readonly atFaultPoint: FaultPointHook | undefined;
  /** This worker's only duty. Default: it has both. */
  readonly only?: WorkerDuty | undefined;
  /** Takes part in Temporal's Worker Versioning as this version. */
  readonly version?: WorkerVersion | undefined;
  /** Webhooks to receive in this process, which then polls less. */
  readonly webhook?: WebhookSettings | undefined;
  /** Called with events of the account's webhook. */
  readonly onWebhook?: ((event: WebhookEvent) => void) | undefined;
  /** Called with messages for the user. `isLogged`: the log has an event that says the same. */
  readonly say: (line: string, isLogged?: boolean) => void;
  /** Called with every event of the work, besides the log. */
  readonly observe?: Observe | undefined;
  readonly onLog?: LogListener | undefined;
}

/**
 * Starts this process's worker. Until it ends, it has a lock on the ledger, its metrics, its links to local media, and
 * the account's webhook if that is requested. Throws {@link VoxbatchError} (`server-gone`, `ledger-in-use`,
 * `no-webhook-port`, `no-media-port`, `no-metrics-port`).
 */
export async function startLocalWorker(request: LocalWorkerRequest): Promise<RunningWorker> {
  const { temporal, ledger, open } = request;
  const owner = ownerOf(newIdentity(), request.version);
  const log = openLog(request.settings.home, request.onLog);
  if (temporal.isEmbedded && !isLedgerFile(ledger.place)) {
    request.say(
      'TEMPORAL_ADDRESS is not set: this process uses its own Temporal server, and no worker of another server can use the ledger meanwhile. If the ledger has workers elsewhere, stop this process, and set TEMPORAL_ADDRESS to their server.',
    );
  }
  const release = await lockLedger(ledger, temporal, request.settings.home, request.onFault);
  let beats: Heartbeats | undefined;
  let mediaLinks: LocalMediaLinks | undefined;
  let metrics: Metrics | undefined;
  let running: RunningWorker | undefined;
  try {
    metrics = await metricsOf(request, log, () => running?.status());
    mediaLinks = await openMediaLinks(request.settings, request.store);
    await endDeadProcesses(request, owner);
    const { hints, memoryMs } = newHints();
    // The worker's own heartbeats start later, and a process without heartbeats counts as dead: another could take its
    // webhook.
    if (request.webhook !== undefined)
      beats = await startHeartbeats(ledger, { owner, ...realmOf(open), only: request.only });
    const searchable = await searchableIn(request);
    const webhook = await beginWebhook(request, { owner, hints, memoryMs });
    const parts = { owner, log, searchable, hints, ...defined({ mediaLinks }) };
    const worker = await connectWorker(request, parts, metrics).catch(async (error: unknown) => {
      await webhook.end();
      throw error;
    });
    running = worker;
    const closeLinks = async (): Promise<void> => mediaLinks?.close();
    worker.ended
      .finally(release)
      .finally(closeLinks)
      .catch(() => undefined);
    const end = async (patienceMs?: number, because?: Error): Promise<void> => {
      const worked = Promise.all([worker.end(patienceMs, because), webhook.end()]);
      // Metrics are collected until the work has ended.
      const metricsEnded = metrics?.end(worked);
      await worked.finally(() => metricsEnded);
      await closeLinks();
    };
    return { ...worker, end };
  } catch (error) {
    release();
    await mediaLinks?.close();
    await metrics?.end(Promise.resolve());
    throw isServerGone(error)
      ? new VoxbatchError({ type: 'server-gone', address: temporal.address, cause: error })
      : error;
  } finally {
    await beats?.stop();
  }
}

/**
 * If every other process of this home is dead, fails the activities that they had started, so that nothing waits for a
 * heartbeat timeout.
 */
async function endDeadProcesses({ temporal, ledger }: LocalWorkerRequest, owner: string): Promise<void> {
  // Checked immediately before the others count as dead: a process that joins later may have requests in flight.
  if (!(await temporal.proveAlone())) return;
  await ledger.forgetWorkers('all');
  const workflowIdPrefix = batchWorkflowId(ledger.id, '');
  await failAbandoned(temporal.client, { workflowIdPrefix, isAlive: (identity) => identity === owner });
}

type OpenedParts = Pick<WorkerSetup, 'owner' | 'searchable' | 'hints' | 'mediaLinks'> & { readonly log: Logger };

/** Connects the worker to Temporal, with parts that were opened for it, and starts it. */
async function connectWorker(
  { temporal, ledger, store, open, version, only, onFault, observe, atFaultPoint, say }: LocalWorkerRequest,
  parts: OpenedParts,
  metrics: Metrics | undefined,
): Promise<RunningWorker> {
  const traces = await openTraces(open.api.baseUrl);
  const dependencies = {
    ...parts,
    ...defined({ atFaultPoint }),
    ledger,
    store,
    only,
    onFault,
    api: open.api,
    realm: { ...realmOf(open), ledgerId: ledger.id },
    observe: allOf(logEvents(parts.log), observe, await metrics?.begin(), traces),
    voxbatchVersion: voxbatchVersion(),
    onOutage: (event: OutageEvent) => {
      say(outageMessage(ledger, event), true);
    },
  };
  return startWorker({ ...temporal, version }, dependencies);
}

/** Combines observers into one. */
function allOf(log: Observe, ...others: readonly (Observe | undefined)[]): Observe {
  const all = [log, ...others.filter((other) => other !== undefined)];
  if (all.length === 1) return log;
  return (event) => {
    for (const observe of all) observe(event);
  };
}

/** Opens metrics, if configured. Their code is loaded only then. */
async function metricsOf(
  { settings, ledger, store, say }: LocalWorkerRequest,
  log: Logger,
  status: () => WorkerStatus | undefined,
): Promise<Metrics | undefined> {
  if (settings.metrics === undefined) return undefined;
  const { openMetrics } = await import('../metrics/open-metrics.ts');
  return openMetrics(settings.metrics, { ledger, store, log, say, status });
}

/** Returns the search attributes that workflows may set. Tells the user how to create those that are missing. */
async function searchableIn({ temporal, say }: LocalWorkerRequest): Promise<readonly SearchAttributeName[]> {
  const { there, missing } = await makeSearchAttributes(temporal);
  if (missing.length > 0) {
    const names = missing.join(', ');
    const command = searchAttributeCommand(temporal, missing);
    say(`Temporal's lists cannot be searched by ${names}; batches run all the same. To create them: ${command}`);
  }
  return there;
}

/** True for the SDK's errors when the server does not answer. It does not export the class of the worker's error. */
function isServerGone(error: unknown): error is Error {
  return (
    isGrpcServiceError(error) ||
    error instanceof ServiceError ||
    (error instanceof Error && error.name === 'TransportError')
  );
}

/** Takes the account's webhook if requested. Otherwise restores webhooks left by dead processes, now and later. */
async function beginWebhook(
  { webhook: settings, onWebhook: onEvent = () => undefined, ledger, open }: LocalWorkerRequest,
  mine: Pick<WebhookRequest, 'owner' | 'hints' | 'memoryMs'>,
): Promise<{ end(): Promise<void> }> {
  if (settings === undefined) return watchLeftover({ ...mine, ledger, open, onEvent });
  const use = new WebhookUse({ ...mine, settings, open, ledger, onEvent });
  await use.begin();
  return use;
}
