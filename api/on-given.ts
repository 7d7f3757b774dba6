import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Calls back when a byte of the request may have been given to a connected socket: at once on a reused connection, on a
 * new one when it is connected (with TLS: when the certificate was accepted).
 *
 * A request that is ended only then can be cancelled until then. One that is ended earlier goes to its socket at once;
 * the socket holds it back until it is connected, and a TLS socket until the handshake is done. So before either event,
 * no byte of the request has left, whatever went wrong. `bytesWritten` does not help: it also counts the bytes held
 * back.
 */
export function onGiven(request: ClientRequest, given: () => void): void {
  request.on('socket', (socket) => {
    const event = pendingEvent(socket);
    if (request.reusedSocket || event === undefined) given();
    else socket.once(event, given);
  });
}

/** The event after which bytes flow; undefined if they already do. */
function pendingEvent(socket: Socket): 'connect' | 'secureConnect' | undefined {
  // Typed by hand: the type lacks the flag, and on a TLS socket `connecting` ends before the handshake does.
  if (socket instanceof TLSSocket) {
    return (socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting === false
      ? undefined
      : 'secureConnect';
  }
  return socket.connecting ? 'connect' : undefined;
}
