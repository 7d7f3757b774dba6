import { beginServer, type EarlyServer } from '../client/early-server.ts';
import type { Settings } from '../client/settings.ts';

/**
 * Begins to start the server while the rest of a command is still being loaded and its manifest read. Until it is taken over, Ctrl-C
 * and SIGTERM end the process, and the server with it; whoever takes it listens to signals from then on.
 */
export function beginServerHere(settings: Pick<Settings, 'home' | 'env'>, say: (line: string) => void): EarlyServer {
  const server = beginServer(settings, say);
  const onSignal = (name: NodeJS.Signals): void => {
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
