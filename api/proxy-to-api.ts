import type { Target } from './exchange.ts';
import { BadProxy, type Proxy, type ProxyFor } from './proxies.ts';

/**
 * The proxy to the API, if there is one.
 * @throws BadProxy if its setting cannot be used, or if it would see the token: it sees all that goes through a tunnel to a plain http address
 */
export function proxyToApi({ protocol, hostname, port }: Target, proxyFor: ProxyFor | undefined): Proxy | undefined {
  const usual = protocol === 'https:' ? 443 : 80;
  const proxy = proxyFor?.({ protocol, hostname, port: port === '' ? usual : Number(port) });
  if (proxy instanceof BadProxy) throw proxy;
  if (proxy === undefined || protocol === 'https:') return proxy;
  throw new BadProxy(
    `The API address uses http, so the proxy ${proxy.name} of ${proxy.variable} would see the token. ` +
      `Use https, or add ${hostname} to NO_PROXY.`,
  );
}
