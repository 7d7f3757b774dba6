import { Connection } from '@temporalio/client';
import { connect } from 'node:net';

/** What a Temporal server says when asked. */
export interface ServerAnswer {
  /** Id of the cluster, kept in its database: tells whether this is the server of this home. */
  readonly clusterId: string;
  readonly version: string;
}

/**
 * Asks a server who it is, and whether its namespace can be used. Returns a sentence if it does not answer, or is not
 * ready yet.
 */
export async function askServer(address: string, timeoutMs: number): Promise<ServerAnswer | string> {
  // Without the usual interceptors, which would try again for seconds: whoever asks wants to know how it is now.
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    const service = connection.workflowService;
    return await connection.withDeadline(Date.now() + timeoutMs, async () => {
      const cluster = await service.getClusterInfo({});
      await service.describeNamespace({ namespace: 'default' });
      return { clusterId: cluster.clusterId, version: cluster.serverVersion };
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await connection.close();
  }
}

/** True if a TCP connection can be made. A hung process still listens: the kernel answers for it. */
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
