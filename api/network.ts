import dns from 'node:dns';
import { isIP, type LookupFunction, BlockList } from 'node:net';

/** Name resolution, and the definition of private addresses. */
export interface Network {
  readonly lookup: LookupFunction;
  readonly isPrivate: (address: string) => boolean;
}

/** The system's resolver, as every program of this machine uses it. */
export const SYSTEM_NETWORK: Network = { lookup: dns.lookup, isPrivate: isPrivateAddress };

/** Error code: the host's address is private, so no connection was made. */
export const PRIVATE_HOST = 'PRIVATE_HOST';

/** How long the addresses of a host are cached, in ms. Short, because a machine may move to another network. */
const CACHED_MS = 60_000;

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
 * Returns a check for hosts that a proxy resolves: it rejects with the code {@link PRIVATE_HOST} if this machine knows
 * the host as a private one. A host that it cannot resolve passes, because many machines behind a proxy cannot resolve
 * internet names.
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

/** Whether a host is a numeric private address. Names are not resolved. */
export function isPrivateLiteral(network: Pick<Network, 'isPrivate'>, hostname: string): boolean {
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
    // Computed once: each download asks, and the answer for a numeric address never changes.
    const isPrivate = Promise.resolve(network.isPrivate(hostname));
    return () => isPrivate;
  }
  return () => {
    const now = performance.now();
    if (known === undefined || now - known.at > CACHED_MS) known = { isPrivate: ask(), at: now };
    return known.isPrivate;
  };
}

/** Address ranges outside the public internet, from the special-purpose address registries (RFC 6890 and later). */
const RANGES: readonly (readonly [range: string, prefix: number])[] = [
  // This host, loopback, link-local, private, shared by carriers.
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  // Protocol assignments, documentation, benchmarks (which some local proxies give out), multicast, reserved.
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // IPv6: unspecified and loopback, discard, local translation, documentation, unique local, link-local, site-local,
  // multicast.
  ['::', 127],
  ['100::', 64],
  ['64:ff9b:1::', 48],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  // Tunnels that hide an IPv4 address; nothing uses them today.
  ['2001::', 32],
  ['2002::', 16],
];

const PRIVATE = new BlockList();
for (const [range, prefix] of RANGES) PRIVATE.addSubnet(range, prefix, range.includes(':') ? 'ipv6' : 'ipv4');

/** IPv6 ranges whose last 32 bits are an IPv4 address. */
const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');
MAPPED.addSubnet('64:ff9b::', 96, 'ipv6');
MAPPED.addSubnet('::', 96, 'ipv6');

/** Whether an IP address is outside the public internet: a private network, this machine, or the like. */
export function isPrivateAddress(address: string): boolean {
  // A link-local address may include its interface.
  const bare = address.split('%', 1).join('');
  const version = isIP(bare);
  if (version === 0) return true;
  if (version === 4) return PRIVATE.check(bare, 'ipv4');
  return PRIVATE.check(bare, 'ipv6') || (MAPPED.check(bare, 'ipv6') && PRIVATE.check(lastIpv4(bare), 'ipv4'));
}

/** Extracts the IPv4 address from the last 32 bits of an IPv6 address. */
function lastIpv4(address: string): string {
  // In a URL, the address has no dotted part and no leading zeros.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  return groups
    .flatMap((group) => {
      const bits = group === '' ? 0 : Number.parseInt(group, 16);
      return [bits >> 8, bits & 0xff];
    })
    .join('.');
}
