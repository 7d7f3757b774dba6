import { isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';
import { defined } from '../../contract/defined.ts';
import { writeSync, realpathSync } from 'node:fs';
import { pino, type Logger } from 'pino';
import type { FaultPointHook } from '../../activities/fault-points.ts';
import { batchWorkflowId } from '../../contract/names.ts';
import { failAbandoned } from '../../embedded/fail-abandoned.ts';
import { pathsIn } from '../../embedded/home.ts';
import { openOwnLog } from '../../embedded/private-home.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Store } from '../../store/store.ts';
import { newHints, newIdentity } from '../../worker/dependencies.ts';
import { logEvents } from '../../worker/log-events.ts';
import { startWorker, type RunningWorker } from '../../worker/run-worker.ts';
import { beginBeats, type Beats } from '../../worker/show-alive.ts';
import { realmOf, type OpenApi } from '../open-api.ts';
import type { Temporal } from '../temporal/open-temporal.ts';
import { VoxbatchError } from '../problem.ts';
import { voxbatchVersion } from '../version.ts';
import { WebhookUse, type WebhookRequest } from '../webhooks/use-webhook.ts';
import type { WebhookWish, WebhookNews } from '../webhooks/webhook-options.ts';
import { watchLeftover } from '../webhooks/put-back.ts';
import { freeSpace } from '../../store/open-store.ts';
import type { Settings } from '../settings.ts';
import { LedgerInUse } from '../../ledger/errors.ts';
import type { Unlock } from '../../ledger/driver.ts';

export interface EmbeddedWorkerRequest {
  readonly temporal: Temporal;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly open: OpenApi;
  readonly home: string;
  /** Called with a fault that no retry fixes. */
  readonly onFault: (fault: Error) => void;
  readonly atFaultPoint: FaultPointHook | undefined;
  /** Webhooks that reach this process; it polls less then. */
  readonly webhook?: WebhookWish | undefined;
  /** Called with what happens to the account's webhook. */
  readonly onWebhook?: ((news: WebhookNews) => void) | undefined;
  /** Called with what users should know before the work begins. */
  readonly say: (line: string) => void;
  /** Called with every line of the log as well. */
  readonly onLog?: ((line: string) => void) | undefined;
}

/**
 * Starts the worker of this process. If every other process of this home is dead, it first fails the activities that
 * they had begun, so that nothing waits for a heartbeat timeout. Throws {@link VoxbatchError} (`server-gone`,
 * `ledger-in-use`, `no-webhook-port`).
 */
export async function startEmbeddedWorker(request: EmbeddedWorkerRequest): Promise<RunningWorker> {
  const { temporal, ledger, store, open, atFaultPoint: atFaultPoint } = request;
  const owner = newIdentity();
  const log = openLog(request.home, request.onLog);
  const release = await lockLedger(ledger, temporal, request.home);
  let beats: Beats | undefined;
  try {
    // Checked right before: a process that came meanwhile may have requests in flight, which must not be taken for
    // those of the dead.
    if (await temporal.proveAlone()) {
      await ledger.forgetWorkers('all');
      const workflowIdPrefix = batchWorkflowId(ledger.id, '');
      await failAbandoned(temporal.client, { workflowIdPrefix, isMine: (identity) => identity === owner });
    }
    const { hints, memoryMs } = newHints();
    // The worker's own beats begin later, and a process without beats counts as dead: its webhook could be taken from it.
    if (request.webhook !== undefined) beats = await beginBeats(ledger, { owner, ...realmOf(open) });
    const webhook = await beginWebhook(request, { owner, hints, memoryMs });
    const worker = await startWorker(temporal, {
      ledger,
      store,
      api: open.api,
      realm: { apiUrl: open.api.baseUrl, account: open.profile.userId, ledgerId: ledger.id },
      owner,
      log,
      observe: logEvents(log),
      voxbatchVersion: voxbatchVersion(),
      onFault: request.onFault,
      hints,
      ...defined({ atFaultPoint }),
    }).catch(async (error: unknown) => {
      await webhook.end();
      throw error;
    });
    worker.ended.finally(release).catch(() => undefined);
    const end = async (patienceMs?: number): Promise<void> => {
      await Promise.all([worker.end(patienceMs), webhook.end()]);
    };
    return { ...worker, end };
  } catch (error) {
    release();
    throw isServerGone(error)
      ? new VoxbatchError({ type: 'server-gone', address: temporal.address, cause: error })
      : error;
  } finally {
    await beats?.stop();
  }
}

/** True for what the SDK throws if the server does not answer; of the worker's error it does not export the class. */
function isServerGone(error: unknown): error is Error {
  return (
    isGrpcServiceError(error) ||
    error instanceof ServiceError ||
    (error instanceof Error && error.name === 'TransportError')
  );
}

/**
 * Begins to use the account's webhook, if that is asked for. Else puts back, now and later, what processes that died have
 * left there.
 */
async function beginWebhook(
  { webhook: wish, onWebhook: tell = () => undefined, ledger, open }: EmbeddedWorkerRequest,
  mine: Pick<WebhookRequest, 'owner' | 'hints' | 'memoryMs'>,
): Promise<{ end(): Promise<void> }> {
  if (wish === undefined) return watchLeftover({ ledger, open, owner: mine.owner, tell });
  const use = new WebhookUse({ ...mine, wish, open, ledger, tell });
  await use.begin();
  return use;
}

/** The log of this home's workers: state changes; each event (`contract/work-events.ts`) if somebody listens. Ids, never texts, links or tokens. */
export function openLog(home: string, onLine?: (line: string) => void): Logger {
  const file = openOwnLog(pathsIn(home).workerLog);
  const write = (line: string): void => {
    onLine?.(line.trimEnd());
    try {
      writeSync(file, line);
    } catch {
      // A full disk. The log may have a gap, but must neither end the work nor delay it (as pino's own destination
      // does).
    }
  };
  return pino({ base: { pid: process.pid }, level: onLine === undefined ? 'info' : 'debug' }, { write });
}

const MIB = 1024 ** 2;
/** A batch of a few thousand rows may take as much, in bytes. */
const LITTLE_BYTES = 100 * MIB;

/** Says so if there is little room for the records or the media. */
export async function warnOfLittleDisk(
  { home, store }: Pick<Settings, 'home' | 'store'>,
  say: (line: string) => void,
): Promise<void> {
  for (const folder of new Set([home, store])) {
    const free = await freeSpace(folder);
    if (free === null || free >= LITTLE_BYTES) continue;
    say(
      `Only ${String(Math.floor(free / MIB))} MiB are free for ${folder}. When the disk is full, the batch stops, and no answer is lost.`,
    );
    return;
  }
}

/**
 * Locks a ledger for the workers of this Temporal server, so that those of no other server work on it at the same time.
 * Returns the function that releases the lock. Throws {@link VoxbatchError} (`ledger-in-use`) while another server's
 * workers hold it.
 */
export async function lockLedger(
  ledger: Pick<Ledger, 'place' | 'lockForWorkers'>,
  temporal: Temporal,
  home: string,
): Promise<Unlock> {
  // Two paths to one folder are one server.
  const server = temporal.isEmbedded ? `the embedded one in ${realpathSync(home)}` : await nameOf(temporal);
  try {
    return await ledger.lockForWorkers(server);
  } catch (error) {
    if (!(error instanceof LedgerInUse)) throw error;
    throw new VoxbatchError({ type: 'ledger-in-use', ledger: ledger.place, holder: error.holder });
  }
}

/** A namespace has its own id, however its address is written; if that may not be read, the address must do. */
async function nameOf({ client, namespace, address }: Temporal): Promise<string> {
  const id = await readNamespaceId(client, namespace);
  return `namespace ${namespace} ${id === undefined ? `at ${address}` : `(${id})`}`;
}

async function readNamespaceId(client: Client, namespace: string): Promise<string | undefined> {
  try {
    const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
    return namespaceInfo?.id ?? undefined;
  } catch {
    return undefined;
  }
}
