import { once } from 'node:events';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../contract/message-of.ts';
import type { HintSource } from '../../activities/webhooks/job-hints.ts';
import { findThreadEntry } from '../../threads/find-entry.ts';
import { receiveWebhooks, type ListenRequest } from './webhook-receiver.ts';
import type { Mentions, WatchChange } from './mentioned-jobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { realmOf, type ConnectedApi } from '../connect-api.ts';
import { VoxbatchError } from '../problem.ts';
import type { WebhookSettings } from './webhook-options.ts';

/** Messages from the thread. */
export type ThreadMessage =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'failed'; readonly code: string }
  | { readonly type: 'mentions'; readonly mentions: Mentions };

/** Callbacks of a webhook listener. */
export interface ListenerEvents {
  /** Called with the jobs and words that webhooks mention. */
  readonly onMentions: (mentions: Mentions) => void;
  /** Called when the listener has died; no more webhooks will arrive. */
  readonly onDeath: () => void;
}

/** A running webhook listener. As a {@link HintSource}, it receives the jobs to watch for. */
export interface WebhookListener extends HintSource {
  /** The port that it listens on. */
  readonly port: number;
  /** Stops listening. */
  close(): Promise<void>;
}

/** The port cannot be listened on; `code`: the system's error code. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/**
 * Listens for webhooks in a separate thread that works at most a tenth of the time; excess webhooks wait or are lost.
 * When run from source, it listens in this thread. Throws {@link CannotListen}.
 */
export async function openWebhookListener(request: ListenRequest, events: ListenerEvents): Promise<WebhookListener> {
  const entry = findThreadEntry(import.meta.url, 'client/webhook-thread');
  return entry === undefined ? openHere(request, events) : openInThread(entry, request, events);
}

async function openHere(request: ListenRequest, { onMentions }: ListenerEvents): Promise<WebhookListener> {
  const here = await receiveWebhooks(request, onMentions).catch((error: unknown) => {
    throw new CannotListen((error as NodeJS.ErrnoException).code, { cause: error });
  });
  return { ...sourceOf(here.change), port: here.port, close: () => here.close() };
}

/** Listens in a thread with this entry. Throws {@link CannotListen}. */
export async function openInThread(
  entry: URL,
  request: ListenRequest,
  { onMentions, onDeath }: ListenerEvents,
): Promise<WebhookListener> {
  const thread = new Worker(entry, { name: 'webhooks', workerData: request, env: {}, execArgv: [] });
  thread.unref();
  let isListening = false;
  const port = await new Promise<number>((resolve, reject) => {
    const fail = (cause: unknown): void => {
      reject(new CannotListen(messageOf(cause)));
      if (!isListening) return;
      isListening = false;
      onDeath();
    };
    thread.on('message', (message: ThreadMessage) => {
      if (message.type === 'mentions') onMentions(message.mentions);
      else if (message.type === 'listening') {
        isListening = true;
        resolve(message.port);
      } else fail(message.code);
    });
    thread.on('error', fail);
    thread.on('exit', fail);
  });
  return {
    ...sourceOf((changes) => {
      thread.postMessage(changes);
    }),
    port,
    close: async () => {
      isListening = false;
      await thread.terminate();
    },
  };
}

/**
 * Returns a source that calls `post` once per event loop turn, with all changes of the watched jobs in that turn, in
 * order.
 */
export function sourceOf(post: (changes: readonly WatchChange[]) => void): HintSource {
  let changes: WatchChange[] = [];
  const add = (change: WatchChange): void => {
    changes.push(change);
    if (changes.length > 1) return;
    setImmediate(() => {
      const posted = changes;
      changes = [];
      post(posted);
    });
  };
  return {
    listenFor: (jobId) => {
      add({ jobId, isWatched: true });
    },
    forget: (jobId) => {
      add({ jobId, isWatched: false });
    },
  };
}

/**
 * Checks that the webhook port can be listened on before a batch is recorded or changed: without it, the command could
 * not work on the batch. Skipped while a live process of this ledger uses the account's webhook: that process may hold
 * the port, which is needed only after it. Throws {@link VoxbatchError} (`no-webhook-port`).
 */
export async function requirePort(
  settings: Pick<WebhookSettings, 'host' | 'port'> | undefined,
  open: ConnectedApi,
  ledger: Ledger,
): Promise<void> {
  if (settings === undefined || (await ledger.webhookOf(realmOf(open)))?.isAlive === true) return;
  const server = net.createServer();
  try {
    await once(server.listen(settings.port, settings.host), 'listening');
  } catch (error) {
    return refusePort(settings, new CannotListen((error as NodeJS.ErrnoException).code));
  } finally {
    server.close();
  }
}

/** Throws {@link VoxbatchError} (`no-webhook-port`) for a port that cannot be listened on. */
export function refusePort(
  { host, port }: Pick<WebhookSettings, 'host' | 'port'>,
  { message: code }: CannotListen,
): never {
  throw new VoxbatchError({ type: 'no-webhook-port', host, port, code });
}
