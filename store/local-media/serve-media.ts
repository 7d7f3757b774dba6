import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeMedia } from '../../contract/serve-media.ts';
import { isProof, seal } from './link-seal.ts';
import type { LocalMediaLinks } from './media-links.ts';
import { createMediaServer, pathOfLink, challengeUrl } from './media-server.ts';
import { VerifiedFiles } from './verified-files.ts';

/** How long running downloads may take when the process ends, ms. */
const DRAIN_MS = 8_000;
/** How often a process that uses the server of another checks whether the port is free, ms. */
const TAKE_OVER_CHECK_MS = 500;
/** How long whatever listens on the port may take to answer the challenge, ms. */
const CHALLENGE_TIMEOUT_MS = 2_000;

/** Another program listens on the port. */
export class MediaPortTaken extends Error {
  override readonly name = 'MediaPortTaken';
}

/**
 * Serves local media by links that are sealed with this key. If another process with the same key listens on the port,
 * its server answers the links of both, and this process takes over once it is gone. Throws {@link MediaPortTaken},
 * with the system's error code as its message.
 *
 * @param key `KEY_BYTES` long, the same for all processes with the same `VOXBATCH_HOME`
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
      await sleep(TAKE_OVER_CHECK_MS, undefined, { signal: ending.signal, ref: false });
      server = await listen(key, files, host, port).catch(() => undefined);
    }
  };
  // Rejects when `ending` aborts its pause.
  const taking = takeOver().catch(() => undefined);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    ending.abort();
    await taking;
    if (server !== undefined) await closeAfterDownloads(server);
  };
  return {
    async prepare(file) {
      // Opening verifies the content, so that a changed file is found before a request names it.
      const { handle } = await files.open(file);
      await handle.close();
    },
    linkTo: ({ path, bytes, name }, validMs) =>
      Promise.resolve(url + pathOfLink(name, seal(key, name, { path, bytes, until: Date.now() + validMs }))),
    close: () => (closing ??= close()),
  };
}

async function listen(key: Buffer, files: VerifiedFiles, host: string, port: number): Promise<http.Server> {
  const server = createMediaServer(key, files);
  await once(server.listen(port, host), 'listening');
  return server;
}

/** Whether what listens on the port is a server with the same key. */
async function isOurs(key: Buffer, host: string, port: number): Promise<boolean> {
  const challenge = randomUUID();
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  try {
    const answer = await fetch(challengeUrl(base, challenge), {
      signal: AbortSignal.timeout(CHALLENGE_TIMEOUT_MS),
      redirect: 'error',
    });
    return isProof(key, challenge, await answer.text());
  } catch {
    return false;
  }
}

/** Closes a server after running downloads, or after {@link DRAIN_MS}. */
async function closeAfterDownloads(server: http.Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, DRAIN_MS);
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}
