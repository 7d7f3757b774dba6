import { expect } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import {
  SUPERVISE_BATCH,
  WAKE_UP_SIGNAL,
  WORKFLOW_TASK_TIMEOUT,
  type SuperviseBatchInput,
} from '../../contract/batch-workflow.ts';
import { readPage } from '../docs/pages.ts';
import { expectWhole } from './batch-end.ts';
import { changeRate, untilRecorded } from './batch-record.ts';
import { openCluster, type Cluster } from './cluster.ts';
import type { Running } from './live-command.ts';
import type { WorldOptions } from './live-world.ts';
import { flagsOf } from './temporal-place.ts';
import { connectTo } from './temporal-server.ts';
import { waitFor } from './wait-for.ts';

const DEPLOYMENT = 'voxbatch';
export const VERSIONED_ROWS = 120;
/** A batch's run. */
const OPEN = `WorkflowType = "${SUPERVISE_BATCH}" AND ExecutionStatus = "Running"`;

/** A run of a batch's workflow. */
export interface Run {
  /** Of the version that works on it, or did last. */
  readonly build: string | undefined;
  readonly status: string;
}

/** A cluster whose workers take part in Worker Versioning, and a manifest. */
export class VersionedCluster {
  readonly cluster: Cluster;
  readonly #client: Client;

  private constructor(cluster: Cluster, client: Client) {
    this.cluster = cluster;
    this.#client = client;
  }

  static async open(): Promise<VersionedCluster> {
    const options: WorldOptions = {
      seed: 97,
      createMs: [20, 60],
      jobMs: [200, 400],
      rows: VERSIONED_ROWS,
      kinds: ['tts'],
    };
    const cluster = await openCluster(options, 0);
    return new VersionedCluster(cluster, await connectTo(cluster.server));
  }

  /** Starts a worker of a build. */
  work(build: string, ...flags: readonly string[]): Promise<Running> {
    const { world, env } = this.cluster;
    const version = ['--deployment', DEPLOYMENT, '--build-id', build];
    return world.startWorking(['worker', ...version, ...flags], { env });
  }

  /** Makes a build the current one, and begins the batch with a worker of it: a row each second. */
  async begin(build: string): Promise<Running> {
    const { world, env } = this.cluster;
    const worker = await this.work(build);
    await this.setCurrent(build);
    expect(await world.run(['run', 'lines.csv', '--rate', '1', '--detach'], { env })).toMatchObject({ code: 0 });
    await this.untilRunBy(build);
    return worker;
  }

  /** Lets the batch end soon. Returns how it ended, from its results. */
  async finish(): ReturnType<typeof expectWhole> {
    const { world } = this.cluster;
    await changeRate(world, 'lines', 60);
    await untilRecorded(world, 'lines', ({ state }) => state === 'closed');
    await world.run(['results', 'lines']);
    return expectWhole(world, 'lines', VERSIONED_ROWS);
  }

  /** As the guide says it; may come before the first worker of the build is known. */
  async setCurrent(build: string): Promise<void> {
    await waitFor(() => this.#temporal('set-current-version', build).then(isDone, isNotYet));
  }

  /** Lets new work go to workers without a version. */
  async setUnversioned(): Promise<void> {
    await this.#temporal('set-current-version .*--unversioned');
  }

  /** Pins the batch by hand to a build; undefined: takes that back. */
  async pin(build: string | undefined): Promise<void> {
    const to = ['--versioning-override-deployment-name', DEPLOYMENT, '--versioning-override-build-id', build ?? ''];
    const behavior = build === undefined ? ['unspecified'] : ['pinned', ...to];
    for await (const { workflowId } of this.#client.workflow.list({ query: `WorkflowType = "${SUPERVISE_BATCH}"` })) {
      const words = ['workflow', 'update-options', '--workflow-id', workflowId];
      await this.#run([...words, '--versioning-override-behavior', ...behavior]);
    }
  }

  /** Replaces the workflow of a batch by one that continues as new after this many events. */
  async continueAfter(batch: string, continueAfterEvents: number): Promise<void> {
    const { workflow } = this.#client;
    for await (const { workflowId } of workflow.list({ query: OPEN })) {
      const first = workflow.getHandle(workflowId);
      const { taskQueue } = await first.describe();
      await first.terminate('the test starts its own');
      const args: [SuperviseBatchInput] = [{ batch, continueAfterEvents }];
      await workflow.start(SUPERVISE_BATCH, {
        workflowId,
        taskQueue,
        args,
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      });
    }
  }

  /** Wakes the batch, as every command does that changes the ledger. */
  async wake(): Promise<void> {
    for await (const { workflowId } of this.#client.workflow.list({ query: OPEN }))
      await this.#client.workflow.getHandle(workflowId).signal(WAKE_UP_SIGNAL);
  }

  /** `drained` once no run of the build is left. */
  async drainage(build: string): Promise<string | undefined> {
    const said = await this.#temporal('describe-version', build, '--output', 'json');
    return (JSON.parse(said) as { readonly drainageInfo?: { readonly drainageStatus?: string } }).drainageInfo
      ?.drainageStatus;
  }

  async #temporal(command: string, build = '', ...flags: readonly string[]): Promise<string> {
    return this.#run([...commandOfGuide(command, build), ...flags]);
  }

  async #run(words: readonly string[]): Promise<string> {
    const cli = process.env['VOXBATCH_TEMPORAL_CLI'] ?? 'temporal';
    return (await promisify(execFile)(cli, [...words, ...flagsOf(this.cluster.server)])).stdout;
  }

  /** The runs of the batch's workflow, the latest first. */
  async runs(): Promise<readonly Run[]> {
    const { workflow } = this.#client;
    const found: (Run & { readonly at: number })[] = [];
    for await (const one of workflow.list({ query: `WorkflowType = "${SUPERVISE_BATCH}"` })) {
      const { raw, status, startTime } = await workflow.getHandle(one.workflowId, one.runId).describe();
      const build = raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
      found.push({ build, status: status.name, at: startTime.getTime() });
    }
    return found.sort((a, b) => b.at - a.at).map(({ build, status }) => ({ build, status }));
  }

  /** Waits until the latest run is one of a build, or of workers without one. */
  async untilRunBy(build: string | undefined): Promise<void> {
    await waitFor(async () => {
      const [latest] = await this.runs();
      return latest !== undefined && latest.build === build && latest.status === 'RUNNING';
    });
  }
}

/** The words of a command of the guide, for a build. */
function commandOfGuide(command: string, build: string): readonly string[] {
  const found = new RegExp(`temporal (worker deployment ${command} [^\\x60\\n]*)`).exec(
    readPage('docs/guide/cluster.md'),
  );
  if (found?.[1] === undefined) throw new Error(`The guide does not say: temporal worker deployment ${command}`);
  return found[1].replace(/--build-id \S+/, `--build-id ${build}`).split(' ');
}

const isDone = (): boolean => true;
const isNotYet = (): boolean => false;
