import { messageOf } from '../contract/message-of.ts';
import { Connection } from '@temporalio/client';
import { WITHOUT_PROXY } from './server-binary.ts';

/** What a Temporal server says about itself. */
export interface ServerAnswer {
  /** Id of the cluster, kept in its database: identifies the server of this home. */
  readonly clusterId: string;
  readonly version: string;
}

/** Implements `probeServer`, in a module of its own, because only this part needs Temporal's client. */
export async function contactServer(address: string, timeoutMs: number): Promise<ServerAnswer | string> {
  // Without the usual interceptors, which retry for seconds: the caller wants to know the state now.
  const connection = Connection.lazy({ address, interceptors: [], ...WITHOUT_PROXY });
  try {
    const service = connection.workflowService;
    return await connection.withDeadline(Date.now() + timeoutMs, async () => {
      const cluster = await service.getClusterInfo({});
      await service.describeNamespace({ namespace: 'default' });
      return { clusterId: cluster.clusterId, version: cluster.serverVersion };
    });
  } catch (error) {
    return messageOf(error);
  } finally {
    // While its async context storage is enabled, every promise of the process costs more (docs/decisions/cpu.md).
    connection.callContextStorage.disable();
    await connection.close();
  }
}
