import { beginServer, type EarlyServer } from '../../client/temporal/early-server.ts';
import type { Settings } from '../../client/settings.ts';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { exitOfSignal, onEndSignal } from './interrupt.ts';

/**
 * Starts the server while the rest of the command loads and reads its manifest. Until the caller takes the server over,
 * Ctrl-C, SIGTERM and a closed terminal end the process and the server with a note that nothing was sent; afterwards
 * the caller handles signals.
 */
export function beginServerHere(settings: Pick<Settings, 'home' | 'env'>, say: (line: string) => void): EarlyServer {
  return endedBySignals(beginServer(settings, say), say);
}

/** Until the server is taken over, termination signals stop it and end the process. */
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
