/** @slow */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { requireOwnServer, requireOwnCluster } from '../../../client/temporal/require-server.ts';
import { withSchedules } from '../../../client/schedules/open-schedules.ts';
import { Session } from '../../../client/session.ts';
import { openVoxbatch, type Voxbatch } from '../../../client/voxbatch.ts';
import type { Temporal } from '../../../client/temporal/open-temporal.ts';
import type { Unlock } from '../../../ledger/driver.ts';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { settingsOf } from '../../../client/read-options.ts';
import { freshPlace } from '../../support/place.ts';
import { addSampleBatchOf } from '../sample-batch-of.ts';

const place = freshPlace();

/** Nobody listens there. */
const NOBODY = '127.0.0.1:9';
const PERMISSION_DENIED = 7;

/** A cluster whose namespace has this id; undefined: it does not tell. `polling`: who takes work there. */
function cluster(id: string | undefined, polling: readonly string[] = []): Temporal {
  const refusal = Object.assign(new Error('no'), { code: PERMISSION_DENIED, details: 'no', metadata: {} });
  const describeNamespace = (): Promise<unknown> =>
    id === undefined ? Promise.reject(refusal) : Promise.resolve({ namespaceInfo: { id } });
  const describeTaskQueue = async (): Promise<unknown> => ({ pollers: polling.map((identity) => ({ identity })) });
  return {
    namespace: 'default',
    address: 'one:7233',
    client: { workflowService: { describeNamespace, describeTaskQueue } } as unknown as Client,
  } as Temporal;
}

describe('a ledger that workers hold', () => {
  it.each([
    ['namespace default (id-1)', cluster('id-1')],
    ['namespace default at two:7233', cluster('id-1')],
    ['namespace default (id-1)', cluster(undefined)],
  ])('of %s is that of a server that may be the same', async (holder, temporal) => {
    const unlock = await place.ledger.lockForWorkers(holder);
    await requireOwnCluster(temporal, place.ledger);
    unlock();
  });

  it.each([
    ['namespace default (id-2)', cluster('id-1')],
    ['namespace other at one:7233', cluster('id-1')],
    ['namespace other (id-2)', cluster(undefined)],
    ['the embedded one in /home (id-2, machine m, folder 1)', cluster(undefined)],
  ])('of %s is that of another server', async (holder, temporal) => {
    const unlock = await place.ledger.lockForWorkers(holder);
    await expect(requireOwnCluster(temporal, place.ledger)).rejects.toMatchObject({
      problem: { type: 'ledger-in-use', holder, ledger: place.ledger.place },
    });
    unlock();
    await requireOwnCluster(temporal, place.ledger);
  });

  it('is that of a server from which they take their work, whatever its id: its database was lost', async () => {
    const unlock = await place.ledger.lockForWorkers('namespace default (id-2)');
    await place.ledger.beat({ owner: 'w1', apiUrl: 'https://api.example', account: 'u1' });
    await requireOwnCluster(cluster('id-1', ['w1']), place.ledger);
    await expect(requireOwnCluster(cluster('id-1', ['w2']), place.ledger)).rejects.toMatchObject({
      problem: { type: 'ledger-in-use' },
    });
    unlock();
  });

  it("of the command's own home is its own, though its server has not been reached", async () => {
    const { lockLedger } = await import('../../../client/temporal/lock-ledger.ts');
    const unlock = await lockLedger(place.ledger, { ...cluster('id-1'), isEmbedded: true }, place.folder);
    await requireOwnServer(settingsOf({ home: place.folder }), place.ledger);
    const elsewhere = settingsOf({ home: join(place.folder, 'elsewhere') });
    await expect(requireOwnServer(elsewhere, place.ledger)).rejects.toMatchObject({
      problem: { type: 'ledger-in-use' },
    });
    unlock();
  });

  it('by a command that is just ending is waited for', async () => {
    const unlock = await place.ledger.lockForWorkers('namespace default (id-2)');
    const checking = requireOwnCluster(cluster('id-1'), place.ledger);
    unlock();
    await checking;
  });
});

describe('what records paid work', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(() => simulator.close());
  beforeEach(() => addSampleBatchOf(simulator, place));

  const out = (): string => join(place.folder, 'out');
  const open = (temporal?: { address: string }): Voxbatch =>
    openVoxbatch({
      api: { url: simulator.url, token: simulator.token },
      home: place.folder,
      ...(temporal !== undefined && { temporal }),
    });
  const newManifest = async (): Promise<string> => {
    const manifest = join(place.folder, 'new.csv');
    await writeFile(manifest, 'text,voice\nHello.,v1\n');
    return manifest;
  };
  const PAYING: Record<string, (library: Voxbatch) => Promise<unknown>> = {
    redrive: (library) => library.batch('demo').redrive({ rows: ['d'], out: out() }),
    reconcile: (library) => library.batch('demo').reconcile({ resubmit: ['e'], out: out() }),
    run: async (library) => library.run(await newManifest(), { out: out() }),
    say: (library) => library.say('Hello.', { voice: 'v1' }),
  };

  /** Does it, and compares the records. */
  async function refused(what: string, temporal: { address: string } | undefined, problem: object): Promise<void> {
    const { ledger } = place;
    const records = async (): Promise<unknown> => [
      await ledger.listBatches(),
      await ledger.readRow('demo', 4),
      await ledger.readRow('demo', 5),
    ];
    const before = await records();
    const library = open(temporal);
    try {
      await expect(PAYING[what]?.(library)).rejects.toMatchObject({ problem });
    } finally {
      await library.close();
    }
    expect(await records()).toEqual(before);
    expect(simulator.ledger()).toEqual([]);
  }

  it.each(Object.keys(PAYING))("%s records nothing where another server's workers would pay for it", async (what) => {
    const holder = 'namespace default (id-1)';
    const unlock: Unlock = await place.ledger.lockForWorkers(holder);
    await refused(what, undefined, { type: 'ledger-in-use', holder });
    unlock();
  });

  it.each(['redrive', 'run'])('%s records nothing where Temporal cannot be reached', async (what) => {
    await refused(what, { address: NOBODY }, { type: 'no-cluster', address: NOBODY });
  });
});

describe('schedules', () => {
  const settings = (): ReturnType<typeof settingsOf> => ({
    ...settingsOf({ home: place.folder }),
    ledger: place.ledger.place,
  });

  it('are not looked for on a server that knows none of them, nor is it started', async () => {
    const session = new Session({ settings: settings(), access: refuse, ledger: { mustExist: true } });
    const unlock = await place.ledger.lockForWorkers('namespace default (id-1)');
    try {
      const looking = withSchedules(session, () => undefined, refuse);
      await expect(looking).rejects.toMatchObject({ problem: { type: 'ledger-in-use' } });
      expect(existsSync(join(place.folder, 'server.json'))).toBe(false);
    } finally {
      unlock();
      await session.close();
    }
  });
});

/** Not to be called. */
function refuse(): never {
  throw new Error('It was called.');
}
