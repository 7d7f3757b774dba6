import { beforeEach, describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';
import { batchWorkflowId } from '../../../contract/names.ts';
import { StrandedBatches } from '../../../client/worker-versions/end-stranded.ts';
import type { WorkerVersion } from '../../../contract/worker-version.ts';
import { GRPC } from '../../../embedded/grpc-errors.ts';
import { ownerOf } from '../../../policy/lanes/worker-names.ts';

const of = (buildId: string) => ({ deploymentName: 'voxbatch', buildId });
const MINE = of('two');
const BATCH = { name: 'b', apiUrl: 'http://api', account: 'me' } as BatchRecord;
const PINNED = { runId: 'r1', to: of('one'), byHand: false };

const answer = (code: number, details: string): Error =>
  Object.assign(new Error(details), { code, details, metadata: {} });

let living: string[];
let current: string;
let isGone: boolean;
let ended: string[];
let said: string[];
let open: (version: WorkerVersion | undefined) => StrandedBatches;
let stranded: StrandedBatches;

beforeEach(() => {
  living = [ownerOf('host', MINE)];
  current = 'two';
  isGone = false;
  ended = [];
  const terminate = (runId: string): Promise<void> => {
    if (isGone) return Promise.reject(new WorkflowNotFoundError('gone', 'b', runId));
    ended.push(runId);
    return Promise.resolve();
  };
  const client = {
    workflow: { getHandle: (_: string, runId: string) => ({ terminate: () => terminate(runId) }) },
    workflowService: {
      describeWorkerDeployment: () => {
        if (current === 'secret') return Promise.reject(answer(GRPC.PERMISSION_DENIED, 'denied'));
        if (current === 'none') return Promise.reject(answer(GRPC.NOT_FOUND, 'no such deployment'));
        const currentDeploymentVersion = current === 'unversioned' ? null : of(current);
        return Promise.resolve({ workerDeploymentInfo: { routingConfig: { currentDeploymentVersion } } });
      },
    },
  } as unknown as Client;
  const ledger = { id: 'l', livingWorkers: () => Promise.resolve(living) };
  const temporal = { client, namespace: 'default', address: 'localhost:7233' };
  said = [];
  open = (version) => new StrandedBatches({ temporal, ledger, version, say: (line) => said.push(line) });
  stranded = open(MINE);
});

it('ends the run of a batch whose version has no worker, at the second look in a row', async () => {
  expect(await stranded.end(BATCH, PINNED)).toBe(false);
  expect(await stranded.end(BATCH, PINNED)).toBe(true);
  expect(ended).toEqual(['r1']);
});

it('leaves one whose worker was back in between: it begins to count anew', async () => {
  await stranded.end(BATCH, PINNED);
  living.push(ownerOf('old host', of('one')));
  expect(await stranded.end(BATCH, PINNED)).toBe(false);
  living.pop();
  expect(await stranded.end(BATCH, PINNED)).toBe(false);
  expect(ended).toEqual([]);
});

it.each(['one', 'none', 'secret'])(
  'leaves all to others while its own version is not known to be current: %s',
  async (now) => {
    current = now;
    for (let look = 0; look < 3; look++) expect(await stranded.end(BATCH, PINNED)).toBe(false);
  },
);

it('leaves batches of its own version', async () => {
  for (let look = 0; look < 3; look++)
    expect(await stranded.end(BATCH, { runId: 'r2', to: MINE, byHand: false })).toBe(false);
});

it('takes a run that another worker has ended a moment ago for ended', async () => {
  isGone = true;
  await stranded.end(BATCH, PINNED);
  expect(await stranded.end(BATCH, PINNED)).toBe(true);
});

it('leaves one that somebody has pinned, and says so once', async () => {
  for (let look = 0; look < 3; look++) expect(await stranded.end(BATCH, { ...PINNED, byHand: true })).toBe(false);
  expect(ended).toEqual([]);
  expect(said).toEqual([expect.stringContaining('pinned it to voxbatch:one, which has no worker')]);
  expect(said[0]).toContain(`--workflow-id '${batchWorkflowId('l', 'b')}' --versioning-override-behavior unspecified`);
});

describe('a worker without a version', () => {
  beforeEach(() => {
    living = [ownerOf('host', undefined)];
    stranded = open(undefined);
  });

  it.each(['unversioned', 'none'])(
    'ends a run that no worker is left for, if new work goes to such workers: %s',
    async (now) => {
      current = now;
      expect(await stranded.end(BATCH, PINNED)).toBe(false);
      expect(await stranded.end(BATCH, PINNED)).toBe(true);
      expect(ended).toEqual(['r1']);
    },
  );

  it.each(['one', 'two', 'secret'])('leaves all to others if it may not: %s is current', async (now) => {
    current = now;
    for (let look = 0; look < 3; look++) expect(await stranded.end(BATCH, PINNED)).toBe(false);
  });

  it('leaves one whose version has a worker, and one that somebody has pinned', async () => {
    current = 'unversioned';
    for (let look = 0; look < 3; look++) expect(await stranded.end(BATCH, { ...PINNED, byHand: true })).toBe(false);
    expect(said).toEqual([expect.stringContaining('pinned it to voxbatch:one, which has no worker')]);
    living.push(ownerOf('old host', of('one')));
    for (let look = 0; look < 3; look++) expect(await stranded.end(BATCH, PINNED)).toBe(false);
    expect(ended).toEqual([]);
  });
});
