import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { defined } from '../contract/defined.ts';
import { mkdirSync, openSync, writeSync } from 'node:fs';
import { pino, type Logger } from 'pino';
import type { FaultPointHook } from '../activities/fault-points.ts';
import { batchWorkflowId } from '../contract/names.ts';
import { failAbandoned } from '../embedded/fail-abandoned.ts';
import { pathsIn } from '../embedded/home.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Store } from '../store/store.ts';
import { newIdentity } from '../worker/dependencies.ts';
import { startWorker, type RunningWorker } from '../worker/run-worker.ts';
import { lockLedger } from './lock-ledger.ts';
import type { OpenApi } from './open-api.ts';
import type { Temporal } from './open-temporal.ts';
import { VoxbatchError } from './problem.ts';
import { voxbatchVersion } from './version.ts';

export interface EmbeddedWorkerRequest {
  readonly temporal: Temporal;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly open: OpenApi;
  readonly home: string;
  /** Called with a fault that no retry fixes. */
  readonly onFault: (fault: Error) => void;
  readonly atFaultPoint: FaultPointHook | undefined;
  /** Called with every line of the log as well. */
  readonly onLog?: ((line: string) => void) | undefined;
}

/**
 * Starts the worker of this process. If every other process of this home is dead, it first fails the activities that
 * they had begun, so that nothing waits for a heartbeat timeout. Throws {@link VoxbatchError} (`server-gone`,
 * `ledger-in-use`).
 */
export async function startEmbeddedWorker(request: EmbeddedWorkerRequest): Promise<RunningWorker> {
  const { temporal, ledger, store, open, atFaultPoint: atFaultPoint } = request;
  const owner = newIdentity();
  const log = openLog(request.home, request.onLog);
  const release = await lockLedger(ledger, temporal, request.home);
  try {
    // Checked right before: a process that came meanwhile may have requests in flight, which must not be taken for
    // those of the dead.
    if (await temporal.proveAlone()) {
      await ledger.forgetWorkers('all');
      const workflowIdPrefix = batchWorkflowId(ledger.id, '');
      await failAbandoned(temporal.client, { workflowIdPrefix, isMine: (identity) => identity === owner });
    }
    const worker = await startWorker(temporal, {
      ledger,
      store,
      api: open.api,
      realm: { apiUrl: open.api.baseUrl, account: open.profile.userId, ledgerId: ledger.id },
      owner,
      log,
      voxbatchVersion: voxbatchVersion(),
      onFault: request.onFault,
      ...defined({ atFaultPoint }),
    });
    worker.ended.finally(release).catch(() => undefined);
    return worker;
  } catch (error) {
    release();
    throw isServerGone(error)
      ? new VoxbatchError({ type: 'server-gone', address: temporal.address, cause: error })
      : error;
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

/** The log of this home's workers: state changes, never polls; ids, never texts, links or tokens. */
export function openLog(home: string, onLine?: (line: string) => void): Logger {
  const { logs, workerLog } = pathsIn(home);
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const file = openSync(workerLog, 'a', 0o600);
  const write = (line: string): void => {
    onLine?.(line.trimEnd());
    try {
      writeSync(file, line);
    } catch {
      // A full disk. The log may have a gap, but must neither end the work nor delay it (as pino's own destination
      // does).
    }
  };
  return pino({ base: { pid: process.pid } }, { write });
}
