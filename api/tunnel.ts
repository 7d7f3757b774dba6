import http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Proxy, ProxyTarget } from './proxies.ts';

/** A proxy did not open a tunnel. Nothing was said to the server behind it. */
class NoTunnel extends Error {
  override readonly name = 'NoTunnel';
}

/** Longest time to open a tunnel, ms: the default limit of a connection. */
export const LIMIT_MS = 15_000;

/**
 * Asks a proxy for a tunnel (CONNECT) and resolves with a socket at whose other end the server is. The proxy is told the server's host and port, and
 * nothing of what is sent.
 *
 * The socket does not keep the process alive; whoever uses it may `ref()` it. Rejects with an Error that begins with `no proxy` (it was not reached) or `proxy refused`.
 */
export function openTunnel(proxy: Proxy, { hostname, port }: Pick<ProxyTarget, 'hostname' | 'port'>): Promise<Socket> {
  const authority = `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;
  return new Promise((resolve, reject) => {
    const request = (proxy.isSecure ? https : http).request({
      method: 'CONNECT',
      host: proxy.hostname,
      port: proxy.port,
      path: authority,
      setHost: false,
      agent: false,
      headers: {
        Host: authority,
        ...(proxy.authorization === undefined ? {} : { 'Proxy-Authorization': proxy.authorization }),
      },
    });
    const late = setTimeout(() => request.destroy(new Error(`time-out after ${LIMIT_MS / 1000} s`)), LIMIT_MS).unref();
    const fail = (why: string, cause?: unknown): void => {
      clearTimeout(late);
      reject(new NoTunnel(why, { cause }));
    };
    request.once('socket', (socket) => socket.unref());
    request.once('connect', ({ statusCode = 0, statusMessage = '' }, socket: Socket, early: Buffer) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        fail(`proxy refused: ${proxy.name} answered ${statusCode}${phrase(statusMessage)} to a tunnel to ${authority}`);
        return;
      }
      clearTimeout(late);
      if (early.length > 0) socket.unshift(early);
      resolve(socket);
    });
    // A proxy that answers with anything but a tunnel, and closes.
    request.once('response', (message) => {
      message.destroy();
      fail(`proxy refused: ${proxy.name} answered ${message.statusCode ?? 0} to a tunnel to ${authority}`);
    });
    request.once('error', (error) => {
      fail(`no proxy: ${proxy.name} of ${proxy.variable} cannot be reached (${wordsOf(error)})`, error);
    });
    request.end();
  });
}

/** The words of a status; they come from outside. */
function phrase(statusMessage: string): string {
  return /^[\w .,'-]{1,60}$/.test(statusMessage) ? ` ${statusMessage}` : '';
}

function wordsOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.message;
}
