/** Where a server of ours listens. */
export interface ListenAddress {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
}

const ADDRESS = /^(?:(?<host>\[[\da-fA-F:.]+\]|[\w.-]+):)?(?<port>\d{1,5})$/;

/** Reads `HOST:PORT`, or `PORT` of this host. Port 0 is any free one. Undefined if it is no such address. */
export function parseListenAddress(text: string, ownHost: string): ListenAddress | undefined {
  const { host = ownHost, port } = ADDRESS.exec(text)?.groups ?? {};
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: host.startsWith('[') ? host.slice(1, -1) : host, port: Number(port) };
}

/** A host as a URL has it. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** `HOST:PORT` */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${hostInUrl(host)}:${String(port)}`;
}
