import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Network, publicOnly, refusePrivate, SYSTEM_NETWORK } from './network.ts';
import { type ProxyFor, readProxies } from './proxies.ts';
import { HttpsTunnelAgent, HttpTunnelAgent, type TunnelRules } from './tunnel-agents.ts';

/** The connections of one kind of request, for both schemes. */
export interface AgentPair {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

/** Connections of a client. Paid requests have their own, because an old idle connection endangers them. */
export interface Agents {
  readonly paid: AgentPair;
  readonly free: AgentPair;
  /**
   * For links that may lead to public addresses only. Kept separate so that no connection made without that check is
   * reused.
   */
  readonly outside: AgentPair;
}

/**
 * Max idle time of a connection that is reused for a paid request, in ms.
 *
 * Servers close idle connections at any time (some after 2 s). A request written at that very moment is lost but may
 * look accepted, so its outcome is unknown. Within a second of use this does not happen in practice, and under load
 * connections are still reused; a fresh one costs two or three round trips.
 */
const PAID_IDLE_MS = 1_000;

/** The same for free requests, in ms. There, a stale connection costs only a repeated read. */
const FREE_IDLE_MS = 15_000;

/**
 * Creates keep-alive connections. The newest idle connection is used first. Node also obeys a shorter `Keep-Alive` of
 * the server. Proxies are used only through tunnels; otherwise a proxy would see the token and could invent answers.
 */
export function createAgents(options: AgentOptions = {}): Agents {
  const { network = SYSTEM_NETWORK, paidIdleMs = PAID_IDLE_MS, freeIdleMs = FREE_IDLE_MS } = options;
  const proxyFor = 'proxyFor' in options ? options.proxyFor : readProxies(process.env);
  const anywhere = proxyFor && { proxyFor, check: () => Promise.resolve() };
  const outside = proxyFor && { proxyFor, check: refusePrivate(network) };
  return {
    paid: createPair(paidIdleMs, network.lookup, anywhere),
    free: createPair(freeIdleMs, network.lookup, anywhere),
    outside: createPair(freeIdleMs, publicOnly(network), outside),
  };
}

/** Settings of {@link createAgents}. */
interface AgentOptions {
  readonly network?: Network;
  /** Which servers are reached through a proxy. Default: as the environment says. */
  readonly proxyFor?: ProxyFor | undefined;
  /** Max idle time of a connection that is reused, ms. */
  readonly paidIdleMs?: number;
  readonly freeIdleMs?: number;
}

function createPair(idleMs: number, lookup: LookupFunction, rules: TunnelRules | undefined): AgentPair {
  const options = { keepAlive: true, timeout: idleMs, scheduling: 'lifo', maxFreeSockets: 64, lookup } as const;
  return rules === undefined
    ? { http: new http.Agent(options), https: new https.Agent(options) }
    : { http: new HttpTunnelAgent(options, rules), https: new HttpsTunnelAgent(options, rules) };
}

/** Closes idle connections. Requests in flight continue; their connections close when idle. */
export function closeIdle(agents: Agents): void {
  for (const pair of [agents.paid, agents.free, agents.outside]) {
    for (const agent of [pair.http, pair.https]) {
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of [...(sockets ?? [])]) socket.destroy();
      }
    }
  }
}
