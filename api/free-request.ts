import type { Dialect } from '../contract/dialects.ts';

/** A free request to the API. */
export interface FreeRequest {
  /** Most are `GET`; the legacy paths read their voices with `POST`. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query, relative to the dialect's prefix. */
  readonly path: string;
  /** JSON, for a `POST`. */
  readonly body?: string;
  /** True if it changes something. */
  readonly isChange?: true;
  /** The path for messages: no ids, no query. */
  readonly name: string;
}

/** A `GET`. `name` is the path for messages, needed if the path contains an id. */
export function get(path: string, query: Readonly<Record<string, string>> = {}, name = path): FreeRequest {
  const words = new URLSearchParams(query).toString();
  return { method: 'GET', path: words === '' ? path : `${path}?${words}`, name };
}

/** Log entry of a free request: no token, query or body. */
export interface NotedRead {
  readonly dialect: Dialect;
  readonly method: FreeRequest['method'];
  /** Relative to the dialect's prefix, without ids. */
  readonly path: string;
  /** Null if no answer came. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** From the request to the end of the answer. */
  readonly ms: number;
  /** When it was sent, ms. */
  readonly at: number;
}
