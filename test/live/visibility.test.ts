/** @slow */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { workflowMetadataQuery } from '@temporalio/workflow';
import { NativeConnection, Worker } from '@temporalio/worker';
import { SUPERVISE_BATCH, WAKE_UP_SIGNAL, type SuperviseBatchInput } from '../../contract/batch-workflow.ts';
import { SEARCH_ATTRIBUTE_NAMES, type SearchFigures } from '../../contract/search-attributes.ts';
import { makeSearchAttributes } from '../../client/temporal/search-attributes.ts';
import { changeRate, untilRecorded } from '../support/batch-record.ts';
import { saying } from '../support/batch-end.ts';
import { openCluster } from '../support/cluster.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { COMPILED_WORKFLOWS, replayHistoriesAt } from '../support/replay-histories.ts';
import { startTemporal } from '../support/start-temporal.ts';
import { flagsOf, type TemporalPlace } from '../support/temporal-place.ts';
import { connectTo } from '../support/temporal-server.ts';
import { waitFor } from '../support/wait-for.ts';

interface Listed {
  readonly execution: { readonly workflowId: string };
  readonly status: string;
  readonly searchAttributes?: { readonly indexedFields: Record<string, { readonly data: string }> };
}

/** What `temporal workflow list --query …` shows. */
async function listed(place: TemporalPlace, query: string): Promise<readonly Listed[]> {
  const cli = process.env['VOXBATCH_TEMPORAL_CLI'] ?? 'temporal';
  const args = ['workflow', 'list', ...flagsOf(place), '--query', query, '--output', 'json'];
  return JSON.parse((await promisify(execFile)(cli, args)).stdout) as readonly Listed[];
}

function shownOf(one: Listed | undefined): Record<string, unknown> {
  const fields = Object.entries(one?.searchAttributes?.indexedFields ?? {});
  const ours = fields.filter(([name]) => name.startsWith('Voxbatch'));
  return Object.fromEntries(
    ours.map(([name, { data }]) => [name, JSON.parse(Buffer.from(data, 'base64').toString()) as unknown]),
  );
}

describe("Temporal's own lists", () => {
  it('say which batches have unknown rows, while they run and afterwards, and nothing of what rows say', async () => {
    const plan = { rules: [{ on: 'create', match: { text: 'Lost' }, fault: 'reset-after' } as const] };
    const { world, server, env } = await openCluster({ seed: 93, plan, rows: 0, jobMs: [200, 400] }, 0);
    const rows = Array.from({ length: 30 }, (_, n) => `r${n},${n === 3 ? 'Lost' : 'Kept'} secret words ${n}.,narrator`);
    await world.write('lines.csv', `id,text,voice\n${rows.join('\n')}\n`);
    await world.write('other.csv', 'id,text,voice\no,Fine.,narrator\n');
    const worker = await world.startWorking(['worker', '--look-every', '1'], { env });
    expect(await world.run(['doctor'], { env })).toMatchObject({ stdout: saying('VoxbatchUnknown > 0') });
    const run = ['run', 'lines.csv', '--detach', '--halt', 'never'];
    expect(await world.run([...run, '--rate', '0.5'], { env })).toMatchObject({ code: 0 });
    expect(await world.run(['run', 'other.csv'], { env })).toMatchObject({ code: 0 });

    // In mid-batch, long before its lane's slice is over.
    await changeRate(world, 'lines', 0.2);
    await waitFor(async () => (await listed(server, 'VoxbatchUnknown > 0')).length === 1);
    const [running] = await listed(server, 'VoxbatchUnknown > 0');
    expect(running?.status).toContain('RUNNING');
    expect(shownOf(running)).toMatchObject({ VoxbatchBatch: 'lines', VoxbatchState: 'running', VoxbatchUnknown: 1 });
    await world.run(['pause', 'lines'], { env });
    await waitFor(async () => (await listed(server, 'VoxbatchState = "paused"')).length === 1);
    await world.run(['resume', 'lines'], { env });
    await changeRate(world, 'lines', 60);
    await untilRecorded(world, 'lines', ({ state }) => state === 'closed');
    await waitFor(async () => (await listed(server, 'VoxbatchState = "ended"')).length === 2);
    const [ended, ...others] = await listed(server, 'VoxbatchUnknown > 0');
    expect(others).toEqual([]);
    expect(shownOf(ended)).toEqual({
      VoxbatchBatch: 'lines',
      VoxbatchState: 'ended',
      VoxbatchDone: 30,
      VoxbatchFailed: 0,
      VoxbatchUnknown: 1,
      VoxbatchCredits: expect.any(Number),
    });
    const client = await connectTo(server);
    const handle = client.workflow.getHandle(ended?.execution.workflowId ?? '');
    const page = await handle.describe();
    expect(await page.staticSummary()).toBe('Batch lines');
    expect((await handle.query(workflowMetadataQuery)).currentDetails).toContain(
      '**ended**: 30 of 30 rows ended, 0 failed, 1 unknown',
    );
    const summaries = ((await handle.fetchHistory()).events ?? []).flatMap(({ userMetadata }) =>
      userMetadata?.summary?.data == null ? [] : [Buffer.from(userMetadata.summary.data).toString()],
    );
    expect(summaries).toContain('"lane 1 of 1"');
    await worker.endInOrder();
    expect(await replayHistoriesAt(server)).toBeGreaterThan(1);
  });

  it('show a batch once, however often its workflow has continued as new, with an event for what is worth one', async () => {
    const place = await startTemporal(freshFolder());
    const { address, namespace } = place;
    const client = await connectTo(place);
    expect(await makeSearchAttributes({ client, namespace })).toEqual({
      there: SEARCH_ATTRIBUTE_NAMES,
      missing: [],
    });
    const native = await NativeConnection.connect({ address });
    endAfterTest(() => native.close());
    let figures: SearchFigures = { state: 'paused', rows: 9, done: 0, failed: 0, unknown: 2, credits: 1.5 };
    let surveys = 0;
    const surveyBatch = (): Promise<object> => {
      surveys += 1;
      const open = figures.state === 'ended' ? 0 : 1;
      return Promise.resolve({ open, control: 'paused', lanes: 0, figures, searchable: SEARCH_ATTRIBUTE_NAMES });
    };
    const worker = await Worker.create({
      ...{
        connection: native,
        namespace,
        taskQueue: 'q',
        workflowBundle: COMPILED_WORKFLOWS,
        activities: { surveyBatch },
      },
    });
    await worker.runUntil(async () => {
      const input: SuperviseBatchInput = { batch: 'b', continueAfterEvents: 40 };
      const started = { workflowId: 'b', taskQueue: 'q', args: [input], workflowTaskTimeout: '3s' } as const;
      const handle = await client.workflow.start(SUPERVISE_BATCH, started);
      for (let news = 0; news < 20; news++) {
        const before = surveys;
        figures = { ...figures, done: news };
        await handle.signal(WAKE_UP_SIGNAL);
        await waitFor(() => surveys > before);
      }
      const moved = `WorkflowId = "b" AND ExecutionStatus = "ContinuedAsNew"`;
      await waitFor(async () => (await listed(place, moved)).length >= 2);
      await waitFor(async () => (await listed(place, 'VoxbatchUnknown > 0')).length === 1);
      const [only] = await listed(place, 'VoxbatchUnknown > 0');
      expect(only?.status).toContain('RUNNING');
      figures = { ...figures, state: 'ended', unknown: 0, done: 9 };
      await handle.signal(WAKE_UP_SIGNAL);
      await handle.result();
      await waitFor(async () => (await listed(place, 'VoxbatchState = "ended"')).length === 1);
      expect(await listed(place, 'VoxbatchUnknown > 0')).toEqual([]);
      expect(shownOf((await listed(place, 'VoxbatchState = "ended"'))[0])).toMatchObject({ VoxbatchDone: 9 });
    });
    expect(await replayHistoriesAt(place)).toBeGreaterThan(2);
  });
});
