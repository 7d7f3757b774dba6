import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopback } from '../../contract/urls.ts';
import { hostInUrl, formatListenAddress } from '../../contract/listen-address.ts';
import type { MetricsTarget } from '../../contract/metrics-target.ts';
import { VoxbatchError } from '../problem.ts';

/** What the server reads for its answers. */
export interface Answers {
  /** The metrics, as Prometheus reads them. */
  readonly metrics: () => Promise<string>;
  /** Why this process is not ready; undefined if it is. */
  readonly problem: () => Promise<string | undefined>;
}

/** A running metrics server. */
export interface MetricsPort {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Max connections: more than probes and scrapers need. */
const MAX_CONNECTIONS = 64;

/**
 * Serves `/metrics`, `/healthz` and `/readyz`. Never keeps the process alive. Throws {@link VoxbatchError}
 * (`no-metrics-port`).
 */
export async function serveMetrics(
  { host, port }: Extract<MetricsTarget, { readonly type: 'port' }>,
  answers: Answers,
): Promise<MetricsPort> {
  const server = createServer((request, response) => {
    const answer = (status: number, text: string): void => {
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };
      response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : text);
    };
    // Against DNS rebinding: a page whose own host name resolves to this address could read the names of batches.
    if (namesOtherHost(request.headers.host, hostInUrl(host))) {
      answer(403, 'The host is not this one.\n');
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answer(405, 'Only GET.\n');
      return;
    }
    answerTo(request.url?.split('?', 1)[0], answers).then(
      ([status, text]) => {
        answer(status, text);
      },
      () => {
        response.destroy();
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw new VoxbatchError({ type: 'no-metrics-port', host, port, code: (error as NodeJS.ErrnoException).code ?? '' });
  }
  server.unref();
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${formatListenAddress({ host, port: chosen })}`,
    close: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Returns the answer to a request for this path. */
async function answerTo(
  path: string | undefined,
  { metrics, problem }: Answers,
): Promise<readonly [status: number, text: string]> {
  switch (path) {
    case '/metrics':
      return [200, await metrics()];
    case '/healthz':
      return [200, 'ok\n'];
    case '/readyz': {
      const why = await problem();
      return why === undefined ? [200, 'ready\n'] : [503, `${why}\n`];
    }
    default:
      return [404, '/metrics, /healthz and /readyz are here.\n'];
  }
}

/** Returns whether a request to a loopback address names another host. */
function namesOtherHost(named: string | undefined, host: string): boolean {
  if (!isLoopback(host)) return false;
  return named === undefined || !URL.canParse(`http://${named}`) || !isLoopback(new URL(`http://${named}`).hostname);
}
