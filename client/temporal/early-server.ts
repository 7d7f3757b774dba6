import { joinServer, type Membership } from '../../embedded/join-server.ts';
import type { Settings } from '../settings.ts';

/** The embedded server of the home, started while other things are still being prepared. */
export interface EarlyServer {
  /** Resolves when nothing is left but to wait for the server, or after a moment. Never rejects. */
  readonly underWay: Promise<unknown>;
  /**
   * Hands the membership over to the caller, who must leave it. Rejects if the server does not start. To be called
   * once.
   *
   * @param signal aborts the wait
   */
  take(signal?: AbortSignal): Promise<Membership>;
  /** Leaves the server, unless it was taken over. Never throws. */
  end(): Promise<void>;
}

/** Preparation continues after this in any case, for example while a server is being built, ms. */
const PATIENCE_MS = 300;

/** Begins to start the server, or to join a running one. Sends nothing to the API. */
export function beginServer(settings: Pick<Settings, 'home' | 'env'>, say: (line: string) => void): EarlyServer {
  const aborting = new AbortController();
  let isTaken = false;
  let underWay: Promise<unknown> = Promise.resolve();
  const joining = new Promise<Membership>((resolve, reject) => {
    underWay = new Promise<void>((onServer) => {
      const { home, env } = settings;
      joinServer({ home, env, say, signal: aborting.signal, onServer }).then(resolve, reject);
    });
  });
  // Whoever takes the membership gets the error.
  joining.catch(() => undefined);
  return {
    underWay: Promise.race([underWay, joining.catch(() => undefined), pause(PATIENCE_MS)]),
    take: (signal) => {
      isTaken = true;
      signal?.addEventListener('abort', () => {
        aborting.abort(signal.reason);
      });
      if (signal?.aborted === true) aborting.abort(signal.reason);
      return joining;
    },
    end: async () => {
      if (isTaken) return;
      aborting.abort();
      await joining.then(
        (membership) => membership.leave(),
        () => undefined,
      );
    },
  };
}

/** Does not keep the process alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
