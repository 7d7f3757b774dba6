import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** How far one request got. Filled in while it runs. */
export interface Progress {
  /**
   * True from the moment when a byte of the request may have been given to a connected socket: at once on a reused
   * connection, on a new one when it is connected (with TLS: when the certificate was found good). Never taken back.
   */
  given: boolean;
  /** True for an answer whose body was compressed: its declared length is not that of the media. */
  encoded: boolean;
}

/** What axios asks of a transport. */
export interface Transport {
  request(options: https.RequestOptions, callback: (response: http.IncomingMessage) => void): http.ClientRequest;
}

/**
 * Node's own transport, watched. Node hands the head and body of a request to its socket at once; the socket keeps them
 * back until it is connected, and a TLS socket until the handshake is done. So as long as neither event was seen, no
 * byte of the request has left, whatever went wrong. `bytesWritten` can't tell: it counts the bytes kept back as well.
 */
export function observeTransport(progress: Progress, onConnected: () => void): Transport {
  const given = (): void => {
    progress.given = true;
    onConnected();
  };
  return {
    request(options, callback) {
      const request = (options.protocol === 'https:' ? https : http).request(options, (response) => {
        progress.encoded = (response.headers['content-encoding'] ?? 'identity') !== 'identity';
        callback(response);
      });
      request.once('socket', (socket) => {
        const event = pendingEvent(socket);
        if (request.reusedSocket || event === undefined) given();
        else socket.once(event, given);
      });
      return request;
    },
  };
}

/** The event after which bytes flow; undefined if they flow already. */
function pendingEvent(socket: Socket): 'connect' | 'secureConnect' | undefined {
  // Typed by hand: the flag is missing in the type, and on a TLS socket `connecting` ends before the handshake does.
  if (socket instanceof TLSSocket) {
    return (socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting === false
      ? undefined
      : 'secureConnect';
  }
  return socket.connecting ? 'connect' : undefined;
}
