import {
  Client,
  Connection,
  isGrpcServiceError,
  type ClientOptions,
  type ConnectionOptions,
  type ConnectionLike,
} from '@temporalio/client';
import { toClientOptions } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { isLoopback } from '../../contract/urls.ts';
import { GRPC, hasCode, isNotFound } from '../../embedded/grpc-errors.ts';
import { joinServer } from '../../embedded/join-server.ts';
import { WITHOUT_PROXY } from '../../embedded/server-binary.ts';
import { isHomeInUse } from './home-processes.ts';
import { NO_PAYLOAD_KEYS, type PayloadKeys } from '../../worker/encryption/payload-keys.ts';
import type { EarlyServer } from './early-server.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';

/** A connection to Temporal: the embedded server of the home, or the cluster of the standard settings. */
export interface Temporal {
  readonly client: Client;
  readonly namespace: string;
  /** For messages, and for a worker's own connection. */
  readonly address: string;
  readonly connection: NativeConnectionOptions;
  readonly isEmbedded: boolean;
  /** Keys for payloads, for a worker's own connection; undefined if payloads are not encrypted. */
  readonly payloadKeys?: PayloadKeys | undefined;
  /**
   * Embedded only: whether every other process of this home is dead, and with it all its work. Only valid at this
   * moment, because others may join at any time.
   */
  proveAlone(): Promise<boolean>;
  /** Closes the connection; the last member stops the embedded server. Repeatable. */
  close(): Promise<void>;
  /** For a process that exits immediately: if it is the last member, kills the embedded server. Never throws. */
  closeAtOnce(): void;
}

/** Timeout for connecting, and for the first calls, ms. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Options of {@link openTemporal}. */
export interface OpenTemporalOptions {
  readonly say: (line: string) => void;
  /** Aborts opening. */
  readonly signal?: AbortSignal;
  /** Embedded: the server if it was started early; ownership passes to the connection. */
  readonly server?: EarlyServer | undefined;
  /** Cluster: fail immediately if connections are refused, rather than waiting out a restart. Default: false. */
  readonly isUrgent?: boolean;
}

/**
 * Opens Temporal. Embedded: starts the server, or joins a running one. Throws {@link VoxbatchError} (`no-server`,
 * `server-gone`, `no-cluster`, `cluster-refused`, `no-namespace`).
 */
export async function openTemporal(settings: Settings, options: OpenTemporalOptions): Promise<Temporal> {
  return settings.cluster === undefined ? openEmbedded(settings, options) : openCluster(settings, options);
}

async function openEmbedded(settings: Settings, { server, ...options }: OpenTemporalOptions): Promise<Temporal> {
  try {
    const { home, env } = settings;
    const membership = await (server?.take(options.signal) ?? joinServer({ home, env, ...options }));
    const { address, namespace } = membership;
    try {
      const connection = await connect(address);
      const close = async (): Promise<void> => {
        await connection.close();
        await membership.leave();
      };
      const converter = settings.payloadKeys && (await converterOf(settings.payloadKeys));
      const client = new Client({ connection, namespace, ...converter });
      return {
        client,
        namespace,
        address,
        connection: { address },
        isEmbedded: true,
        payloadKeys: settings.payloadKeys,
        proveAlone: async () => membership.alone && (await membership.proveAlone()),
        close: once(close),
        closeAtOnce: () => {
          membership.leaveAtOnce();
        },
      };
    } catch (error) {
      await membership.leave();
      throw error;
    }
  } catch (error) {
    throw error instanceof ServerUnavailable ? new VoxbatchError({ type: 'no-server', cause: error }) : error;
  }
}

/** The client's option for encrypted payloads. Its code is loaded only where it is used. */
async function converterOf(keys: PayloadKeys): Promise<Pick<ClientOptions, 'dataConverter'>> {
  const { clientConverter } = await import('../../worker/encryption/converters.ts');
  return { dataConverter: clientConverter(keys) };
}

/** Connects to the embedded server. Throws {@link VoxbatchError} (`server-gone`), because it answered a moment ago. */
async function connect(address: string): Promise<Connection> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: CONNECT_TIMEOUT_MS, ...WITHOUT_PROXY });
    disableCallContext(connection);
    return connection;
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    throw new VoxbatchError({ type: 'server-gone', address, cause });
  }
}

async function openCluster(
  settings: Settings,
  { isUrgent = false }: Pick<OpenTemporalOptions, 'isUrgent'>,
): Promise<Temporal> {
  const { connectionOptions, namespace = 'default' } = toClientOptions(settings.cluster ?? {});
  const address = connectionOptions.address ?? 'localhost:7233';
  try {
    const given = { ...connectionOptions, connectTimeout: CONNECT_TIMEOUT_MS };
    const options = isHere(address) ? { ...given, ...WITHOUT_PROXY } : given;
    if (isUrgent) await tryOnce(options);
    const connection = await Connection.connect(options);
    disableCallContext(connection);
    if (await lacks(connection, namespace)) {
      await connection.close();
      throw new VoxbatchError({ type: 'no-namespace', address, namespace });
    }
    // Even without keys, the codec is set: its error for an encrypted payload names the missing key.
    const payloadKeys = settings.payloadKeys ?? NO_PAYLOAD_KEYS;
    const client = new Client({ connection, namespace, ...(await converterOf(payloadKeys)) });
    const close = once(() => connection.close());
    const closeAtOnce = (): void => undefined;
    return {
      client,
      namespace,
      address,
      connection: connectionOptions,
      isEmbedded: false,
      payloadKeys,
      proveAlone: () => Promise.resolve(false),
      close,
      closeAtOnce,
    };
  } catch (cause) {
    if (cause instanceof VoxbatchError) throw cause;
    const says = refusalIn(cause);
    if (says !== undefined) throw new VoxbatchError({ type: 'cluster-refused', address, says, cause });
    throw new VoxbatchError({ type: 'no-cluster', address, cause });
  }
}

/** The server's message if it refuses this client, from the first gRPC error among an error's causes. */
function refusalIn(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!isGrpcServiceError(error)) return refusalIn(error.cause);
  const isRefused = hasCode(error, GRPC.UNAUTHENTICATED) || hasCode(error, GRPC.PERMISSION_DENIED);
  return isRefused ? error.details : undefined;
}

/**
 * Whether the server lacks the namespace: recorded batches would then never run, and workers would wait forever. Any
 * other error, such as a missing permission, counts as "no".
 */
async function lacks(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + CONNECT_TIMEOUT_MS, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return false;
  } catch (error) {
    return isNotFound(error);
  } finally {
    disableCallContext(connection);
  }
}

/** Rejects as soon as the server proves unreachable; `Connection.connect` would keep retrying until its timeout. */
async function tryOnce(options: ConnectionOptions): Promise<void> {
  // Without the usual interceptors, which retry for seconds.
  const connection = Connection.lazy({ ...options, interceptors: [] });
  try {
    await connection.withDeadline(Date.now() + CONNECT_TIMEOUT_MS, () => connection.workflowService.getSystemInfo({}));
  } catch (error) {
    // Any other error shows that the server answers.
    if (!isGrpcServiceError(error)) return;
    if (hasCode(error, GRPC.DEADLINE_EXCEEDED)) throw new Error('it does not answer', { cause: error });
    if (hasCode(error, GRPC.UNAVAILABLE)) throw new Error(whyUnavailable(error.details), { cause: error });
  } finally {
    disableCallContext(connection);
    await connection.close();
  }
}

/** Extracts the connection's error from gRPC's message, which may not have it yet. */
function whyUnavailable(details: string): string {
  const last = /Last error: (?:Error: )?(.+?)\. Resolution note:/su.exec(details)?.[1] ?? details;
  return last === 'null' ? 'no connection was made' : last;
}

/** Whether an address (`host:port`) is local. */
function isHere(address: string): boolean {
  return isLoopback(address.replace(/:\d+$/, ''));
}

/** Makes a closing function repeatable. */
function once(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => (closed ??= close());
}

/**
 * Opens Temporal if workers may be running that can act at once on what a command records in the ledger: on a cluster,
 * or if a process uses the embedded server. Otherwise returns undefined, and starts no server. The command takes effect
 * through the ledger alone, so an unreachable cluster is not waited for.
 */
export async function reachWorker(settings: Settings, say: (line: string) => void): Promise<Temporal | undefined> {
  if (settings.cluster === undefined && !isHomeInUse(settings.home)) return undefined;
  return openTemporal(settings, { say, isUrgent: true });
}

/** Number of {@link withTimeout} calls in flight, by client. */
const underWay = new WeakMap<Client, number>();

/** Calls Temporal, and rejects with a `ServiceError` if a call of `client` in `call` takes longer than `timeoutMs`. */
export async function withTimeout<T>(client: Client, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  underWay.set(client, (underWay.get(client) ?? 0) + 1);
  try {
    return await client.withDeadline(Date.now() + timeoutMs, call);
  } finally {
    const others = (underWay.get(client) ?? 1) - 1;
    underWay.set(client, others);
    if (others === 0) disableCallContext(client.connection);
  }
}

/**
 * Disables the async context storage in which the SDK keeps a deadline, until the next call needs it. Up to version 22,
 * Node runs a hook for every promise in the process while any such storage is enabled (docs/decisions/cpu.md).
 */
function disableCallContext(connection: ConnectionLike): void {
  if (connection instanceof Connection) connection.callContextStorage.disable();
}
