import { beginServer, type EarlyServer } from '../../client/early-server.ts';
import type { Settings } from '../../client/settings.ts';

/**
 * Starts the server while the rest of the command loads and reads its manifest. Until the caller takes it over, Ctrl-C and SIGTERM
 * say that nothing was sent and end the process and the server; afterwards the caller handles signals.
 */
export function beginServerHere(settings: Pick<Settings, 'home' | 'env'>, say: (line: string) => void): EarlyServer {
  return endedBySignals(beginServer(settings, say), say);
}

/** Stops the server, and ends the process, at SIGINT or SIGTERM until somebody takes the server. */
export function endedBySignals(server: EarlyServer, say: (line: string) => void): EarlyServer {
  const onSignal = (name: NodeJS.Signals): void => {
    say('Interrupted before this command sent anything. To start or resume, run it again.');
    void server.end().then(() => process.exit(name === 'SIGTERM' ? 143 : 130));
  };
  const dispose = (): void => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
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
