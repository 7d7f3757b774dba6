import type { Dialect } from '../contract/dialects.ts';

/** A request of the API that costs nothing. */
export interface FreeRequest {
  /** Most are `GET`; the legacy paths read their voices with `POST`. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query, relative to where the paths of its dialect begin. */
  readonly path: string;
  /** JSON, for a `POST`. */
  readonly body?: string;
  /** True if it changes something. */
  readonly isChange?: true;
  /** The path for messages: no ids, no query. */
  readonly name: string;
}

/** A `GET`. `name`: the path for messages, if it has an id in it. */
export function get(path: string, query: Readonly<Record<string, string>> = {}, name = path): FreeRequest {
  const words = new URLSearchParams(query).toString();
  return { method: 'GET', path: words === '' ? path : `${path}?${words}`, name };
}

/** A free request of the API as a log may have it: no token, no query, no body. */
export interface NotedRead {
  readonly dialect: Dialect;
  readonly method: FreeRequest['method'];
  /** Relative to where the paths of the dialect begin, without ids. */
  readonly path: string;
  /** Null: no answer came. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** From the request to the end of the answer. */
  readonly ms: number;
  /** When it was sent, ms. */
  readonly at: number;
}
