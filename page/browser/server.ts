import { useEffect, useState } from 'preact/hooks';
import {
  CSRF_HEADER,
  TOKEN_IN_ADDRESS,
  TOKEN_META,
  type ErrorAnswer,
  type SessionAnswer,
  type StatusAnswer,
} from '../protocol.ts';

/** The server refused, or could not be reached. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * The token that came with the load that took the ticket. Unlike a cookie, what is stored for this origin is not sent
 * to other ports of this machine; and other tabs of this browser find it.
 */
function token(): string {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="${TOKEN_META}"]`);
  if (meta !== null) localStorage.setItem(TOKEN_META, meta.content);
  return localStorage.getItem(TOKEN_META) ?? '';
}

/** The address of something that the server has. */
export function pathOf(name: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return `/api/${name}?${new URLSearchParams([...given, [TOKEN_IN_ADDRESS, token()]]).toString()}`;
}

/** Asks the server. Throws {@link Refused}. */
export async function ask<T>(name: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return answerOf<T>(await fetch(pathOf(name, query), signal === undefined ? {} : { signal }));
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const { message } = (await response.json().catch(() => ({ message: response.statusText }))) as ErrorAnswer;
  throw new Refused(response.status, message);
}

let session: Promise<SessionAnswer> | undefined;

/** What the server said when this tab came. */
export function sessionHere(): Promise<SessionAnswer> {
  return (session ??= ask<SessionAnswer>('session'));
}

/** Asks the server to do something. Throws {@link Refused}. */
export async function post<T>(name: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json', [CSRF_HEADER]: token() };
  return answerOf<T>(await fetch(`/api/${name}`, { method: 'POST', headers, body: JSON.stringify(body) }));
}

/** What was asked for last: its answer, and why there is none. */
export interface Answered<T> {
  readonly value: T | undefined;
  readonly trouble: string | undefined;
  readonly isLoading: boolean;
}

/**
 * Asks whenever one of these changes; the earlier answer stays until the next is there. `key` undefined: asks nothing.
 */
export function useAnswer<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  tick = 0,
): Answered<T> {
  const [state, setState] = useState<Answered<T> & { readonly key: string | undefined }>(() => ({
    ...{ key: undefined, value: undefined, trouble: undefined, isLoading: true },
  }));
  useEffect(() => {
    if (key === undefined) return undefined;
    const ending = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(ending.signal).then(
      (value) => {
        if (!ending.signal.aborted) setState({ key, value, trouble: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (ending.signal.aborted) return;
        setState((before) => ({ ...before, key, trouble: (error as Error).message, isLoading: false }));
      },
    );
    return () => {
      ending.abort();
    };
  }, [key, tick]);
  return state;
}

/** Counts up from time to time, while the tab is looked at. */
export function useTicks(everyMs: number): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setTick((before) => before + 1);
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return tick;
}

/** News of a batch. `isAway`: the command that serves them has ended, or does not answer. */
export interface News {
  readonly status: StatusAnswer | undefined;
  readonly trouble: string | undefined;
  readonly isAway: boolean;
}

/** Follows a batch by one stream, while the tab is looked at: browsers allow six connections for all tabs together. */
export function useNews(batch: string): News {
  const [news, setNews] = useState<News>({ status: undefined, trouble: undefined, isAway: false });
  useEffect(() => {
    let source: EventSource | undefined;
    const open = (): void => {
      if (document.hidden || source !== undefined) return;
      source = new EventSource(pathOf('stream', { batch }));
      source.addEventListener('status', ({ data }: MessageEvent<string>) => {
        setNews({ status: JSON.parse(data) as StatusAnswer, trouble: undefined, isAway: false });
      });
      source.addEventListener('trouble', ({ data }: MessageEvent<string>) => {
        const { message } = JSON.parse(data) as ErrorAnswer;
        setNews((before) => ({ ...before, trouble: message, isAway: false }));
      });
      source.addEventListener('error', () => {
        setNews((before) => ({ ...before, isAway: true }));
      });
    };
    const close = (): void => {
      source?.close();
      source = undefined;
    };
    const turned = (): void => {
      if (document.hidden) close();
      else open();
    };
    open();
    document.addEventListener('visibilitychange', turned);
    return () => {
      document.removeEventListener('visibilitychange', turned);
      close();
    };
  }, [batch]);
  return news;
}
