import { orElse } from '../contract/or-else.ts';
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../contract/urls.ts';

/** An HTTP proxy that opens tunnels (CONNECT). */
export interface Proxy {
  /** Host and port for display, without user name and password. */
  readonly name: string;
  /** The environment variable that sets it. */
  readonly variable: string;
  /** True if the connection to the proxy itself uses TLS. */
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
 * Selects the proxy for a server: undefined for a direct connection, {@link BadProxy} if its setting is invalid. (That
 * is returned, not thrown, because connections are created where nothing catches.)
 */
export type ProxyFor = (target: ProxyTarget) => Proxy | BadProxy | undefined;

/** A proxy setting that cannot be used. The message never repeats a user name or password. */
export class BadProxy extends Error {
  override readonly name = 'BadProxy';
}

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` in upper or lower case; lower case takes precedence, as in curl.
 * Loopback is always reached directly. An invalid proxy address affects only the servers that would use it.
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

/** The variables that {@link readProxies} needs, for a thread, which has no environment. They may hold a password. */
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
  const credentials = orElse(() => decodeURIComponent(`${username}:${password}`), undefined);
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

/**
 * Parses `NO_PROXY`: domains (including subdomains), addresses and CIDR ranges (`10.0.0.0/8`), each optionally with a
 * port, or `*` for everything. Names are not resolved.
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
