import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../contract/api-path.ts';

/** An HTTP proxy that opens tunnels (CONNECT). */
export interface Proxy {
  /** Host and port, as people are shown it: without its user name and password. */
  readonly name: string;
  /** The variable that names it. */
  readonly variable: string;
  /** True if the proxy itself is spoken to over TLS. */
  readonly isSecure: boolean;
  /** An IPv6 address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Value of the `Proxy-Authorization` header. A secret. */
  readonly authorization?: string;
}

/** A server that a request goes to. */
export interface ProxyTarget {
  readonly protocol: 'http:' | 'https:';
  /** An IPv6 address without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/**
 * The proxy to a server; undefined: there is none, go directly; {@link BadProxy}: there is one, and its setting cannot be used. (It is returned, not thrown:
 * connections are asked for where nobody catches.)
 */
export type ProxyFor = (target: ProxyTarget) => Proxy | BadProxy | undefined;

/** A proxy setting that cannot be used. The message never repeats a user name or password. */
export class BadProxy extends Error {
  override readonly name = 'BadProxy';
}

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in capitals or not; the lower-case name wins, as with curl. This machine itself is always reached
 * directly. A value that is not the address of an HTTP proxy matters only to the servers that would be reached through it.
 *
 * @returns undefined if no proxy is set
 */
export function readProxies(env: Readonly<Record<string, string | undefined>>): ProxyFor | undefined {
  const secure = readProxy(env, 'https_proxy');
  const plain = readProxy(env, 'http_proxy');
  if (secure === undefined && plain === undefined) return undefined;
  const isExempt = readExemptions(valueOf(env, 'no_proxy').text);
  return (target) => {
    const proxy = target.protocol === 'https:' ? secure : plain;
    const isHere = isLoopback(target.hostname) || target.hostname === '::1';
    return proxy === undefined || isHere || isExempt(target) ? undefined : proxy;
  };
}

/** What {@link readProxies} reads of an environment, for a thread, which has none. It may hold a password. */
export function proxyVariables(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ['https_proxy', 'http_proxy', 'no_proxy'].map((name) => [name, valueOf(env, name).text] as const),
  );
}

function valueOf(env: Readonly<Record<string, string | undefined>>, name: string): { variable: string; text: string } {
  const lower = env[name]?.trim() ?? '';
  if (lower !== '') return { variable: name, text: lower };
  const variable = name.toUpperCase();
  return { variable, text: env[variable]?.trim() ?? '' };
}

function readProxy(env: Readonly<Record<string, string | undefined>>, name: string): Proxy | BadProxy | undefined {
  const { variable, text } = valueOf(env, name);
  if (text === '') return undefined;
  const expected = 'expected the address of an HTTP proxy, such as http://proxy.example:3128';
  let url: URL;
  try {
    url = new URL(text.includes('://') ? text : `http://${text}`);
  } catch {
    return new BadProxy(`${variable} is not a URL: ${expected}.`);
  }
  const { protocol, hostname, port, username, password } = url;
  if ((protocol !== 'http:' && protocol !== 'https:') || hostname === '') {
    return new BadProxy(`${variable} has the scheme ${protocol} – ${expected}.`);
  }
  const isSecure = protocol === 'https:';
  const number = port === '' ? (isSecure ? 443 : 80) : Number(port);
  const credentials = decode(`${username}:${password}`);
  if (credentials === undefined) {
    return new BadProxy(`${variable} has a user name or password with a lone %: write it as %25.`);
  }
  return {
    name: `${hostname}:${number}`,
    variable,
    isSecure,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: number,
    ...(credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads `NO_PROXY`: names (with all below them), addresses, ranges of addresses (`10.0.0.0/8`), each with a port if only that one is meant; or `*`, which
 * is everything. Names are not resolved for it.
 */
function readExemptions(text: string): (target: ProxyTarget) => boolean {
  const entries = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  if (entries.includes('*')) return () => true;
  const rules = entries.map(readExemption);
  return (target) => rules.some((rule) => rule(target));
}

function readExemption(entry: string): (target: ProxyTarget) => boolean {
  const [, host = entry, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  const bare = host.replace(/^\[|\]$/g, '');
  const isAtPort = (target: ProxyTarget): boolean => port === undefined || target.port === Number(port);
  const [address = '', prefix] = bare.split('/');
  if (isIP(address) !== 0) {
    const range = rangeOf(address, prefix);
    return (target) => isAtPort(target) && range !== undefined && contains(range, target.hostname);
  }
  const name = bare.replace(/^\*?\./, '');
  return (target) => {
    const hostname = target.hostname.toLowerCase().replace(/\.$/, '');
    return isAtPort(target) && (hostname === name || hostname.endsWith(`.${name}`));
  };
}

function rangeOf(address: string, prefix: string | undefined): BlockList | undefined {
  const [family, bits] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
  const length = prefix === undefined ? bits : Number(prefix);
  if (!Number.isInteger(length) || length < 0 || length > bits) return undefined;
  const range = new BlockList();
  range.addSubnet(address, length, family);
  return range;
}

function contains(range: BlockList, hostname: string): boolean {
  const version = isIP(hostname);
  return version !== 0 && range.check(hostname, version === 6 ? 'ipv6' : 'ipv4');
}
