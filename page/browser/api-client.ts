import { useEffect, useState } from 'preact/hooks';
import {
  CSRF_HEADER,
  TOKEN_PARAMETER,
  TOKEN_META,
  type ErrorAnswer,
  type SessionAnswer,
  type StatusAnswer,
} from '../protocol.ts';

/** The server answered with an error status. */
class RequestFailed extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Returns the CSRF token. It comes in the HTML of the load that redeems the ticket, and local storage keeps it for
 * other tabs: unlike a cookie, it is never sent to other ports of this machine.
 */
function csrfToken(): string {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="${TOKEN_META}"]`);
  if (meta !== null) localStorage.setItem(TOKEN_META, meta.content);
  return localStorage.getItem(TOKEN_META) ?? '';
}

/** Returns the URL of an API path with the token, also for players and event streams. */
export function apiUrl(name: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return `/api/${name}?${new URLSearchParams([...given, [TOKEN_PARAMETER, csrfToken()]]).toString()}`;
}

/** Fetches an answer. Rejects with {@link RequestFailed}, or as `fetch` does. */
export async function fetchAnswer<T>(name: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return answerOf<T>(await fetch(apiUrl(name, query), signal === undefined ? {} : { signal }));
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const { message } = (await response.json().catch(() => ({ message: response.statusText }))) as ErrorAnswer;
  throw new RequestFailed(response.status, message);
}

let session: Promise<SessionAnswer> | undefined;

/** Returns the session of this tab, fetched once. Rejects if the browser has no session. */
export function fetchSession(): Promise<SessionAnswer> {
  return (session ??= fetchAnswer<SessionAnswer>('session'));
}

/** The state of the actions of a dialog or a form. */
interface ActionState<T> {
  /** Whether one is under way. */
  readonly isBusy: boolean;
  /** Posts an action, and passes its answer to `then`, or why there is none to `fail`. */
  readonly post: (name: string, body: object, then: (answer: T) => void, fail: (message: string) => void) => void;
}

/** Posts actions, one at a time. `isBusyAtFirst`: the first is posted as soon as the component is shown. */
export function useAction<T>(isBusyAtFirst = false): ActionState<T> {
  const [isBusy, setBusy] = useState(isBusyAtFirst);
  const post: ActionState<T>['post'] = (name, body, then, fail) => {
    setBusy(true);
    postAction<T>(name, body)
      .then(then, (error: unknown) => {
        fail((error as Error).message);
      })
      .finally(() => {
        setBusy(false);
      });
  };
  return { isBusy, post };
}

/** Posts an action. Rejects with {@link RequestFailed}, or as `fetch` does. */
async function postAction<T>(name: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json', [CSRF_HEADER]: csrfToken() };
  return answerOf<T>(await fetch(`/api/${name}`, { method: 'POST', headers, body: JSON.stringify(body) }));
}

/** The state of a load that {@link useAnswer} repeats. */
export interface LoadState<T> {
  /** The last answer; undefined before the first. */
  readonly value: T | undefined;
  /** Why the last load failed. */
  readonly trouble: string | undefined;
  readonly isLoading: boolean;
}

/**
 * Loads when `key` or `tick` changes; the earlier answer stays until the next arrives. An undefined `key` loads
 * nothing.
 */
export function useAnswer<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  tick = 0,
): LoadState<T> {
  const [state, setState] = useState<LoadState<T>>({ value: undefined, trouble: undefined, isLoading: true });
  useEffect(() => {
    if (key === undefined) return undefined;
    const abort = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ value, trouble: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setState((before) => ({ ...before, trouble: (error as Error).message, isLoading: false }));
      },
    );
    return () => {
      abort.abort();
    };
  }, [key, tick]);
  return state;
}

/** Returns a counter that rises every `everyMs` while the tab is visible. */
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

/** The status of a batch, as the server streams it. */
export interface StatusStream {
  /** The last status; undefined before the first. */
  readonly status: StatusAnswer | undefined;
  /** Why the server cannot read the status now. */
  readonly trouble: string | undefined;
  /** Whether the command that serves the page has ended or does not answer. */
  readonly isDisconnected: boolean;
}

/**
 * Follows a batch's status while the tab is visible. A hidden tab closes its stream, because browsers allow six
 * connections to a server for all tabs together.
 */
export function useStatusStream(batch: string): StatusStream {
  const [stream, setStream] = useState<StatusStream>({ status: undefined, trouble: undefined, isDisconnected: false });
  useEffect(() => {
    let source: EventSource | undefined;
    const open = (): void => {
      if (document.hidden || source !== undefined) return;
      source = new EventSource(apiUrl('stream', { batch }));
      source.addEventListener('status', ({ data }: MessageEvent<string>) => {
        setStream({ status: JSON.parse(data) as StatusAnswer, trouble: undefined, isDisconnected: false });
      });
      source.addEventListener('trouble', ({ data }: MessageEvent<string>) => {
        const { message } = JSON.parse(data) as ErrorAnswer;
        setStream((before) => ({ ...before, trouble: message, isDisconnected: false }));
      });
      source.addEventListener('error', () => {
        setStream((before) => ({ ...before, isDisconnected: true }));
      });
    };
    const close = (): void => {
      source?.close();
      source = undefined;
    };
    const visibilityChanged = (): void => {
      if (document.hidden) close();
      else open();
    };
    open();
    document.addEventListener('visibilitychange', visibilityChanged);
    return () => {
      document.removeEventListener('visibilitychange', visibilityChanged);
      close();
    };
  }, [batch]);
  return stream;
}
