import { type SimulatorOptions, type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import { endAfterTest } from '../support/end-after-test.ts';

/** An answer, read whole. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body; undefined where it is not JSON. */
  readonly json: unknown;
}

/** A client that reads one simulator's answers as they are. */
export interface Client {
  readonly simulator: Simulator;
  /** A request to a path under the API's base URL, with the token. */
  readonly call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;
  /** A request to a path of the API's origin, without a token. */
  readonly origin: (method: string, path: string, body?: unknown) => Promise<Reply>;
}

/** A simulator without any latency, unless told otherwise, until the test is over. */
export async function openSimulator(options: SimulatorOptions = {}): Promise<Client> {
  const simulator = await startSimulator({ createMs: [0, 0], jobMs: [0, 0], ...options });
  endAfterTest(() => simulator.close());
  const send = (method: string, url: string, body: unknown, headers: Record<string, string>): Promise<Reply> =>
    fetchWhole(url, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return {
    simulator,
    call: (method, path, body, headers = {}) =>
      send(method, simulator.url + path, body, { authorization: `Bearer ${simulator.token}`, ...headers }),
    origin: (method, path, body) => send(method, new URL(simulator.url).origin + path, body, {}),
  };
}

/** Fetches and reads a whole answer. */
export async function fetchWhole(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  const contentType = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    contentType,
    headers: response.headers,
    bytes,
    text,
    json: contentType.startsWith('application/json') ? JSON.parse(text) : undefined,
  };
}

/** The only UUID in an answer that names one job. */
export function jobIdIn(reply: Reply): string {
  const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(reply.text)?.[0];
  if (id === undefined) throw new Error(`expected a job id, got ${reply.text}`);
  return id;
}

/** The result link in an answer. */
export function linkIn(reply: Reply): string {
  const link = /"(?:audioUrl|audio_url|result_url|resultUrl)":"(http[^"]+\/results\/[^"]+)"/.exec(reply.text)?.[1];
  if (link === undefined) throw new Error(`expected a result link, got ${reply.text}`);
  return link;
}
