import { BlockList, isIP } from 'node:net';

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
  // IPv6: unspecified and loopback, discard, local translation, documentation, unique local, link-local, site-local, multicast.
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
