import { Connection } from '@temporalio/client';

/** What a Temporal server says about itself. */
export interface ServerAnswer {
  /** Id of the cluster, kept in its database: tells whether this is the server of this home. */
  readonly clusterId: string;
  readonly version: string;
}

/** What `askServer` does, in a module of its own: it is the one that needs Temporal's client. */
export async function contactServer(address: string, timeoutMs: number): Promise<ServerAnswer | string> {
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
    // While it is on, every promise of the process costs more (docs/decisions/cpu.md).
    connection.callContextStorage.disable();
    await connection.close();
  }
}
