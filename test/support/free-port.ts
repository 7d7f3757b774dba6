import { isFree } from '../../embedded/start-server.ts';

/** Below the ports that systems give to outgoing connections, one of which could take it while a listener is away. */
const FIRST_PORT = 12_000;
const PORTS = 8_000;

/** A port of 127.0.0.1 where nobody listens, and that stays free until it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
}
