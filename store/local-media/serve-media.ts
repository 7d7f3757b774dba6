import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeMedia } from '../../contract/serve-media.ts';
import { isProof, seal } from './link-seal.ts';
import type { LocalMediaLinks } from './media-links.ts';
import { createMediaServer, pathOfLink, questionTo } from './media-server.ts';
import { VerifiedFiles } from './verified-files.ts';

/** How long running downloads may take once the process ends, ms. */
const LEAVE_MS = 8_000;
/** A process that shares another one's server looks after this long whether the port is free, ms. */
const TAKE_OVER_MS = 500;
/** Time for the answer of what listens on the port, ms. */
const ASK_MS = 2_000;

/** Another program listens there. */
export class MediaPortTaken extends Error {
  override readonly name = 'MediaPortTaken';
}

/**
 * Hands out local media by links that this key seals. If another process with the same key listens there, that one
 * does, and this one takes over once it is gone. Throws {@link MediaPortTaken}, with the system's error code as its
 * message.
 *
 * @param key of `KEY_BYTES`, the same for all processes of a home
 */
export async function serveMedia({ host, port, url }: ServeMedia, key: Buffer): Promise<LocalMediaLinks> {
  const files = new VerifiedFiles();
  const ending = new AbortController();
  let server = await listen(key, files, host, port).catch(async (error: unknown) => {
    const code = String((error as { code?: unknown }).code);
    if (code !== 'EADDRINUSE' || !(await isOurs(key, host, port))) throw new MediaPortTaken(code, { cause: error });
    return undefined;
  });
  const takeOver = async (): Promise<void> => {
    while (server === undefined) {
      await sleep(TAKE_OVER_MS, undefined, { signal: ending.signal, ref: false });
      server = await listen(key, files, host, port).catch(() => undefined);
    }
  };
  // The end wakes it.
  const taking = takeOver().catch(() => undefined);
  let left: Promise<void> | undefined;
  const leave = async (): Promise<void> => {
    ending.abort();
    await taking;
    if (server !== undefined) await closeAfterDownloads(server);
  };
  return {
    async prepare(file) {
      const { handle } = await files.open(file);
      await handle.close();
    },
    linkTo: ({ path, bytes, name }, validMs) =>
      Promise.resolve(url + pathOfLink(name, seal(key, name, { path, bytes, until: Date.now() + validMs }))),
    close: () => (left ??= leave()),
  };
}

async function listen(key: Buffer, files: VerifiedFiles, host: string, port: number): Promise<http.Server> {
  const server = createMediaServer(key, files);
  await once(server.listen(port, host), 'listening');
  return server;
}

/** Whether what listens there has the same key. */
async function isOurs(key: Buffer, host: string, port: number): Promise<boolean> {
  const question = randomUUID();
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  try {
    const answer = await fetch(questionTo(base, question), { signal: AbortSignal.timeout(ASK_MS), redirect: 'error' });
    return isProof(key, question, await answer.text());
  } catch {
    return false;
  }
}

async function closeAfterDownloads(server: http.Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, LEAVE_MS);
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}
