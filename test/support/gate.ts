import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { endAfterTest } from './end-after-test.ts';

/** A door in front of a port of this machine: while it is shut, connections are refused, as if the service were down. */
export class Gate {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  readonly #heard: Buffer[] = [];
  #server: Server | undefined;
  #port = 0;

  constructor(target: number) {
    this.#target = target;
  }

  /** An open gate before a server, until the test ends, and the address of the server through it. */
  static async before(address: string): Promise<{ readonly gate: Gate; readonly through: string }> {
    const url = new URL(address);
    const gate = new Gate(Number(url.port));
    await gate.open();
    endAfterTest(() => {
      gate.cut();
      return gate.shut();
    });
    url.port = String(gate.port);
    return { gate, through: url.href };
  }

  get port(): number {
    return this.#port;
  }

  /** Everything that was sent through it to the service, as it was on the wire. */
  get heard(): string {
    return Buffer.concat(this.#heard).toString('utf8');
  }

  /** Lets connections through, always on the same port. */
  async open(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(this.#target, '127.0.0.1');
      near.on('data', (bytes: Buffer) => this.#heard.push(bytes));
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    this.#server = server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Lets nothing more through on the connections that are there, and breaks none: as a firewall that has forgotten them. */
  hush(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Refuses new connections, and leaves those that are there. */
  refuse(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** Breaks the connections that are there. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Refuses new connections and breaks those that are there. */
  async shut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.close();
    this.cut();
    await once(server, 'close');
  }
}
