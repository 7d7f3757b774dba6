import { connect } from 'node:net';
import type { ServerAnswer } from './contact-server.ts';

/**
 * Returns a server's identity if it answers within `timeoutMs` and its namespace is usable; otherwise an error message.
 * Never rejects.
 */
export async function probeServer(address: string, timeoutMs: number): Promise<ServerAnswer | string> {
  // Loaded lazily: the client loads slowly and must not delay the start of a server.
  const { contactServer } = await import('./contact-server.ts');
  return contactServer(address, timeoutMs);
}

/**
 * Returns whether a TCP connection succeeds. Even so the server may hang: the kernel accepts connections for a hung
 * process, too.
 */
export function isListening(address: string, timeoutMs: number): Promise<boolean> {
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
