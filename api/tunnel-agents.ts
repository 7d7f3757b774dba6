import http from 'node:http';
import https from 'node:https';
import { type Socket, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { BadProxy, type Proxy, type ProxyFor, type ProxyTarget } from './proxies.ts';

/** Selects the proxy for a connection, and checks hosts before a proxy is used. */
export interface TunnelRules {
  readonly proxyFor: ProxyFor;
  /** Rejects if the host must not be contacted. */
  readonly check: (hostname: string) => Promise<void>;
}

/** What Node asks an agent to connect to. */
type ConnectOptions = http.ClientRequestArgs;
type Connected = (error: Error | null, socket: Duplex) => void;

const throughProxy = new WeakSet<Duplex>();

/** Whether a connection goes through a proxy: then its remote address is the proxy's. */
export function isTunnelled(socket: Duplex): boolean {
  return throughProxy.has(socket);
}

/** An agent for https whose connections go through a proxy where one is set for the server. */
export class HttpsTunnelAgent extends https.Agent {
  readonly #rules: TunnelRules;

  constructor(options: https.AgentOptions, rules: TunnelRules) {
    super(options);
    this.#rules = rules;
  }

  /** Calls back once the server's certificate was accepted; until then, nothing may be written to the socket. */
  override createConnection(options: ConnectOptions, callback?: Connected): Duplex | null | undefined {
    const target = targetOf('https:', options);
    const proxy = this.#rules.proxyFor(target);
    if (proxy === undefined || callback === undefined) return super.createConnection(options, callback);
    tunnel(target, proxy, this.#rules).then((socket) => {
      const secure = super.createConnection({ ...options, socket } as ConnectOptions) as TLSSocket;
      throughProxy.add(secure);
      // If the request was given up meanwhile, nothing else would end a hanging handshake.
      const late = setTimeout(() => secure.destroy(new Error('time-out: the TLS handshake hangs')), LIMIT_MS).unref();
      const failed = (error: Error): void => {
        clearTimeout(late);
        callback(error, secure);
      };
      secure.once('error', failed);
      secure.once('secureConnect', () => {
        clearTimeout(late);
        secure.off('error', failed);
        callback(null, secure.ref());
      });
    }, failing(callback));
    return undefined;
  }
}

/** The same for http, where the proxy is also used only through a tunnel. */
export class HttpTunnelAgent extends http.Agent {
  readonly #rules: TunnelRules;

  constructor(options: http.AgentOptions, rules: TunnelRules) {
    super(options);
    this.#rules = rules;
  }

  override createConnection(options: ConnectOptions, callback?: Connected): Duplex | null | undefined {
    const target = targetOf('http:', options);
    const proxy = this.#rules.proxyFor(target);
    if (proxy === undefined || callback === undefined) return super.createConnection(options, callback);
    tunnel(target, proxy, this.#rules).then((socket) => {
      callback(null, socket.ref());
    }, failing(callback));
    return undefined;
  }
}

async function tunnel(target: ProxyTarget, proxy: Proxy | BadProxy, { check }: TunnelRules): Promise<Socket> {
  if (proxy instanceof BadProxy) throw proxy;
  await check(target.hostname);
  const socket = await openTunnel(proxy, target);
  throughProxy.add(socket);
  return socket;
}

function failing(callback: Connected): (error: Error) => void {
  // Node checks the error first, and there is no socket to pass.
  return (error) => {
    (callback as (error: Error) => void)(error);
  };
}

function targetOf(protocol: ProxyTarget['protocol'], { host, port }: ConnectOptions): ProxyTarget {
  const usual = protocol === 'https:' ? 443 : 80;
  return { protocol, hostname: host ?? 'localhost', port: Number(port ?? usual) || usual };
}

/** A proxy did not open a tunnel. Nothing was sent to the server behind it. */
class NoTunnel extends Error {
  override readonly name = 'NoTunnel';
}

/** Time limit for opening a tunnel, in ms: the default limit of a connection. */
const LIMIT_MS = 15_000;

/**
 * Asks a proxy for a tunnel (CONNECT) and resolves with a socket connected to the server. The proxy learns the server's
 * host and port, but nothing that is sent.
 *
 * The socket does not keep the process alive; whoever uses it may `ref()` it. Rejects with an Error that begins with
 * `no proxy` (it was not reached) or `proxy refused`.
 */
function openTunnel(proxy: Proxy, { hostname, port }: Pick<ProxyTarget, 'hostname' | 'port'>): Promise<Socket> {
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
    // The proxy answered with something other than a tunnel.
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
