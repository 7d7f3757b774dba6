import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress } from './private-address.ts';

/** How names become addresses, and which of those are private. */
export interface Network {
  readonly lookup: LookupFunction;
  readonly isPrivate: (address: string) => boolean;
}

/** The system's resolver, as every program of this machine uses it. */
export const SYSTEM_NETWORK: Network = { lookup: dns.lookup, isPrivate: isPrivateAddress };

/** Error code: the host's address is private, so no connection was made. */
export const PRIVATE_HOST = 'PRIVATE_HOST';

/** How long an answer about a host is cached, ms: a machine may move to another network. */
const BELIEVED_MS = 60_000;

class PrivateHost extends Error {
  readonly code = PRIVATE_HOST;
}

/**
 * A resolver that returns public addresses only, or an error with the code {@link PRIVATE_HOST} if a host has none. The
 * connection goes to exactly these addresses, so a name cannot turn private between check and use. Numeric addresses
 * never reach it: see {@link isPrivateLiteral}.
 */
export function publicOnly({ lookup, isPrivate }: Network): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const open = error === null ? addresses.filter(({ address }) => !isPrivate(address)) : [];
      const [first] = open;
      if (first === undefined) callback(error ?? new PrivateHost(`${hostname} has only private addresses`), []);
      else if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * Returns a check for hosts that a proxy resolves: it rejects with the code {@link PRIVATE_HOST} if this machine knows the host as a private one. A host
 * that it cannot resolve passes, for behind a proxy many a machine knows no names of the internet.
 */
export function refusePrivate(network: Network): (hostname: string) => Promise<void> {
  const lookup = publicOnly(network);
  return (hostname) =>
    new Promise((resolve, reject) => {
      lookup(hostname, { all: true }, (error) => {
        if (error instanceof PrivateHost) reject(error);
        else resolve();
      });
    });
}

/** Whether a host is written as a private address. */
export function isPrivateLiteral(network: Network, hostname: string): boolean {
  return isIP(hostname) !== 0 && network.isPrivate(hostname);
}

/**
 * Returns a check whether a host is in a private network: all its addresses are private. A host that cannot be resolved
 * is not.
 */
export function privacyOf(network: Network, hostname: string): () => Promise<boolean> {
  let known: { readonly isPrivate: Promise<boolean>; readonly at: number } | undefined;
  const ask = (): Promise<boolean> =>
    new Promise((resolve) => {
      network.lookup(hostname, { all: true }, (error, found) => {
        const addresses = typeof found === 'string' ? [{ address: found }] : found;
        if (error !== null) known = undefined;
        resolve(error === null && addresses.length > 0 && addresses.every(({ address }) => network.isPrivate(address)));
      });
    });
  if (isIP(hostname) !== 0) {
    // Each download asks, and the answer for a numeric address never changes.
    const isPrivate = Promise.resolve(network.isPrivate(hostname));
    return () => isPrivate;
  }
  return () => {
    const now = performance.now();
    if (known === undefined || now - known.at > BELIEVED_MS) known = { isPrivate: ask(), at: now };
    return known.isPrivate;
  };
}
