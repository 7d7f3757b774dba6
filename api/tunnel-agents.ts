import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { BadProxy, type Proxy, type ProxyFor, type ProxyTarget } from './proxies.ts';
import { LIMIT_MS, openTunnel } from './tunnel.ts';

/** Which connections go through a proxy, and what is checked before one is asked. */
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

  /** Calls back once the certificate of the server was accepted; before, nobody may give a byte to the socket. */
  override createConnection(options: ConnectOptions, callback?: Connected): Duplex | null | undefined {
    const target = targetOf('https:', options);
    const proxy = this.#rules.proxyFor(target);
    if (proxy === undefined || callback === undefined) return super.createConnection(options, callback);
    tunnel(target, proxy, this.#rules).then((socket) => {
      const secure = super.createConnection({ ...options, socket } as ConnectOptions) as TLSSocket;
      throughProxy.add(secure);
      // The request may have been given up meanwhile, and then nobody else ends a handshake that hangs.
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

/** The same for http: there, too, the proxy is only asked for a tunnel. */
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
  // Node looks at the error first, and there is no socket to give.
  return (error) => {
    (callback as (error: Error) => void)(error);
  };
}

function targetOf(protocol: ProxyTarget['protocol'], { host, port }: ConnectOptions): ProxyTarget {
  const usual = protocol === 'https:' ? 443 : 80;
  return { protocol, hostname: host ?? 'localhost', port: Number(port ?? usual) || usual };
}
