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
import { workerConverter } from '../../worker/encryption/converters.ts';
import { NO_PAYLOAD_KEYS } from '../../worker/encryption/payload-keys.ts';
import type { TemporalPlace } from './temporal-place.ts';

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });

let bundle: Promise<WorkflowBundleWithSourceMap> | undefined;

/** The workflows as the sources have them, bundled once per test process. */
export function workflowBundle(): Promise<WorkflowBundleWithSourceMap> {
  bundle ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  return bundle;
}

/** The workflows as `npm run build` has bundled them: those that the compiled command line runs. */
export const COMPILED_WORKFLOWS = {
  codePath: fileURLToPath(new URL('../../dist/worker/workflow-bundle.cjs', import.meta.url)),
};

/**
 * Replays the histories of a namespace with the compiled workflows, and returns how many there were. Throws on the first that
 * does not replay.
 *
 * @param query which, in Temporal's words for lists; default all
 * @param keys that the payloads are encrypted with; default none
 */
export async function replayHistoriesAt(
  { address, namespace }: TemporalPlace,
  query?: string,
  keys = NO_PAYLOAD_KEYS,
): Promise<number> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    const histories = recorded(client.workflow.list(query === undefined ? {} : { query }).intoHistories());
    const options = { workflowBundle: COMPILED_WORKFLOWS, dataConverter: workerConverter(keys) };
    let replayed = 0;
    for await (const result of Worker.runReplayHistories(options, histories)) {
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
