import { startPostgres } from '../postgres-server.mjs';
import { endAfterTest } from './end-after-test.ts';

/** A PostgreSQL server of our own, which ends with the test, as its replicas do. */
export async function postgresForTest(): ReturnType<typeof startPostgres> {
  const server = ending(await startPostgres());
  return { ...server, replicate: async () => ending(await server.replicate()) };
}

function ending<Server extends { readonly stop: () => void }>(server: Server): Server {
  endAfterTest(() => {
    server.stop();
  });
  return server;
}
