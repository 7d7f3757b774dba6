/** The address on which one of voxbatch's servers listens. */
export interface ListenAddress {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
}

const ADDRESS = /^(?:(?<host>\[[\da-fA-F:.]+\]|[\w.-]+):)?(?<port>\d{1,5})$/;

/**
 * Parses `HOST:PORT`, or `PORT` alone, for which `ownHost` is the host. Port 0 means any free port. Returns undefined
 * if the text is no such address.
 */
export function parseListenAddress(text: string, ownHost: string): ListenAddress | undefined {
  const { host = ownHost, port } = ADDRESS.exec(text)?.groups ?? {};
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: host.startsWith('[') ? host.slice(1, -1) : host, port: Number(port) };
}

/** Returns a host as written in a URL: with brackets around an IPv6 address. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Formats an address as `HOST:PORT`. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${hostInUrl(host)}:${String(port)}`;
}
