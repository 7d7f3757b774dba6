import type { Dialect } from '../contract/dialects.ts';
import type { FreeRequest } from './free-request.ts';

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
