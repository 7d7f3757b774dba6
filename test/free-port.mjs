import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, one of which could take it while a listener is away. */
const FIRST_PORT = 12_000;
const PORTS = 8_000;

/** A port of 127.0.0.1 where nobody listens, and that stays free until it is used. */
export async function freePort() {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
