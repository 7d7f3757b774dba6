import { Connection, type Client, type ConnectionLike } from '@temporalio/client';

/** How many calls with their own deadline are under way. */
const underWay = new WeakMap<Client, number>();

/** Makes calls to Temporal. Those that take longer than `timeoutMs` reject with a `ServiceError`. */
export async function inTime<T>(client: Client, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  underWay.set(client, (underWay.get(client) ?? 0) + 1);
  try {
    return await client.withDeadline(Date.now() + timeoutMs, call);
  } finally {
    const others = (underWay.get(client) ?? 1) - 1;
    underWay.set(client, others);
    if (others === 0) leaveContext(client.connection);
  }
}

/**
 * Switches off the async context storage in which the SDK keeps a deadline, until the next call needs it. Up to version
 * 22, Node runs a hook for every promise of the process while any such storage is on (docs/decisions/cpu.md).
 */
export function leaveContext(connection: ConnectionLike): void {
  if (connection instanceof Connection) connection.callContextStorage.disable();
}
