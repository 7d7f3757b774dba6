import { joinServer, type Membership } from '../../embedded/join-server.ts';
import { requireLargeFiles } from '../machine-faults.ts';
import type { Settings } from '../settings.ts';

/**
 * The home's embedded server, started in parallel with other preparations. The processes that use it are its members;
 * the last one to leave stops it.
 */
export interface EarlyServer {
  /** Resolves when only the server's own startup is left to wait for, or after a short timeout. Never rejects. */
  readonly underWay: Promise<unknown>;
  /**
   * Transfers the membership to the caller, who must leave it. Rejects if the server does not start. Call it only once.
   *
   * @param signal aborts the wait
   */
  take(signal?: AbortSignal): Promise<Membership>;
  /** Leaves the server, unless its membership was transferred. Never throws. */
  end(): Promise<void>;
}

/** Max time that `underWay` takes, ms: finding or building a server may take minutes. */
const UNDER_WAY_MS = 300;

/**
 * Starts the server in the background, or joins a running one. Sends nothing to the API. Throws {@link VoxbatchError}
 * (`small-files`): a server would inherit that limit.
 */
export function beginServer(settings: Pick<Settings, 'home' | 'env'>, say: (line: string) => void): EarlyServer {
  requireLargeFiles();
  const aborting = new AbortController();
  let isTaken = false;
  let underWay: Promise<unknown> = Promise.resolve();
  const joining = new Promise<Membership>((resolve, reject) => {
    underWay = new Promise<void>((onServer) => {
      const { home, env } = settings;
      joinServer({ home, env, say, signal: aborting.signal, onServer }).then(resolve, reject);
    });
  });
  // The error is delivered by `take`.
  joining.catch(() => undefined);
  return {
    underWay: Promise.race([underWay, joining.catch(() => undefined), pause(UNDER_WAY_MS)]),
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

/** Waits, without keeping the process alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
