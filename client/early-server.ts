import { joinServer, type Membership } from '../embedded/join-server.ts';
import type { Settings } from './settings.ts';

/** The embedded server of the home, started while other things are still being made ready. */
export interface EarlyServer {
  /** Resolves when nothing is left but to wait for the server, or after a moment. Never rejects. */
  readonly underWay: Promise<unknown>;
  /**
   * Hands the membership over to the one who leaves it from now on. Rejects where the server cannot be had. To be called once.
   *
   * @param signal calls it off
   */
  take(signal?: AbortSignal): Promise<Membership>;
  /** Leaves the server, unless it was taken over: nobody needs it. Never throws. */
  end(): Promise<void>;
}

/** The rest is made ready after this in any case, as while a server is built, ms. */
const PATIENCE_MS = 300;

/** Begins to start the server, or to join the one that runs. Nothing is sent to the API by it. */
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
  // Whoever takes it hears of it.
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

/** Keeps no process alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
