import { connect } from 'node:net';
import type { ServerAnswer } from './contact-server.ts';

/**
 * Asks a server for its identity, and whether its namespace is usable. Returns a sentence if the server does not answer
 * or is not ready yet.
 */
export async function askServer(address: string, timeoutMs: number): Promise<ServerAnswer | string> {
  // Loaded lazily: the client loads slowly and must not delay the start of a server.
  const { contactServer } = await import('./contact-server.ts');
  return contactServer(address, timeoutMs);
}

/** True if a TCP connection succeeds. That proves little: for a hung process, the kernel still accepts connections. */
export function doesListen(address: string, timeoutMs: number): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: timeoutMs });
    const end = (listens: boolean): void => {
      socket.destroy();
      resolve(listens);
    };
    socket.once('connect', () => {
      end(true);
    });
    socket.once('timeout', () => {
      end(false);
    });
    socket.once('error', () => {
      end(false);
    });
  });
}
