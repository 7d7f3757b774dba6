import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type HistoryAndWorkflowId } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { joinServer } from '../../embedded/join-server.ts';

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });

let bundle: Promise<WorkflowBundleWithSourceMap> | undefined;

/** The workflows of this checkout, bundled once per test process. */
export function workflowBundle(): Promise<WorkflowBundleWithSourceMap> {
  bundle ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  return bundle;
}

/**
 * Replays every history in the embedded server of a home with the workflow code of this checkout, and returns how many there
 * were. Throws on the first that does not replay.
 */
export async function replayHistories(home: string): Promise<number> {
  const membership = await joinServer({ home, env: process.env, say: () => undefined });
  try {
    return await replayHistoriesAt(membership.address);
  } finally {
    await membership.leave();
  }
}

/** The workflows as `npm run build` has bundled them: those that the compiled command line runs. */
export const COMPILED_WORKFLOWS = fileURLToPath(new URL('../../dist/worker/workflow-bundle.cjs', import.meta.url));

/** The same for the server at an address, by default with the sources of this checkout. */
export async function replayHistoriesAt(address: string, codePath?: string): Promise<number> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection });
    const histories = recorded(client.workflow.list().intoHistories());
    let replayed = 0;
    const bundled = codePath === undefined ? await workflowBundle() : { codePath };
    for await (const result of Worker.runReplayHistories({ workflowBundle: bundled }, histories)) {
      if (result.error !== undefined) throw result.error;
      replayed += 1;
    }
    return replayed;
  } finally {
    await connection.close();
  }
}

/** Writes each history to the folder in `VOXBATCH_RECORD_HISTORIES`, if there is one, as it passes. See test/replay/README.md. */
async function* recorded(histories: AsyncIterable<HistoryAndWorkflowId>): AsyncGenerator<HistoryAndWorkflowId> {
  const folder = process.env['VOXBATCH_RECORD_HISTORIES'];
  for await (const one of histories) {
    if (folder !== undefined) {
      const history = one.history as Parameters<typeof historyToJSON>[0];
      const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
      const name = `${started?.workflowType?.name ?? 'unknown'}-${started?.originalExecutionRunId?.slice(-8) ?? ''}.json`;
      await writeFile(join(folder, name), historyToJSON(history));
    }
    yield one;
  }
}
