import { beginServer, type EarlyServer } from '../../client/temporal/early-server.ts';
import type { Settings } from '../../client/settings.ts';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { exitOfSignal, onEndSignal } from './interrupt.ts';

/**
 * Starts the embedded Temporal server while the rest of the command loads and reads its manifest. Until the caller
 * takes the server over (`take`), Ctrl-C, SIGTERM and a closed terminal stop the server and end the process, and say
 * that nothing was sent; from then on the caller handles signals.
 */
export function beginServerHere(settings: Pick<Settings, 'home' | 'env'>, say: (line: string) => void): EarlyServer {
  return endedBySignals(beginServer(settings, say), say);
}

/** Returns the server with the signal handling of {@link beginServerHere}. */
export function endedBySignals(server: EarlyServer, say: (line: string) => void): EarlyServer {
  const dispose = onEndSignal((name) => {
    say('Interrupted before this command sent anything. To start or resume, run it again.');
    void server.end().then(() => process.exit(EXIT_CODES[exitOfSignal(name)].code));
  });
  return {
    underWay: server.underWay,
    take: (signal) => {
      dispose();
      return server.take(signal);
    },
    end: async () => {
      await server.end();
      dispose();
    },
  };
}
