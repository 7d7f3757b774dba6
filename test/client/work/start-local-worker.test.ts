import { ServiceError } from '@temporalio/client';
import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../../store/store.ts';
import { startLocalWorker } from '../../../client/work/start-local-worker.ts';
import { openLog } from '../../../client/work/worker-log.ts';
import { VoxbatchError } from '../../../client/problem.ts';
import type { ConnectedApi } from '../../../client/connect-api.ts';
import type { Temporal } from '../../../client/temporal/open-temporal.ts';
import { logOf } from '../../../starters/terminal/output.ts';
import { capture } from '../../starters/command-line.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();
/** Nobody listens there. */
const ADDRESS = '127.0.0.1:1';

const API_URL = 'http://127.0.0.1/api/open/v1';

/** Starts a worker for a server that is gone; returns what is thrown. */
async function start(
  isAlone: boolean,
  list = noWorkflow,
  { ledger = place.ledger, say = () => undefined }: Partial<Parameters<typeof startLocalWorker>[0]> = {},
): Promise<unknown> {
  const home = mkdtempSync(join(tmpdir(), 'voxbatch-worker-'));
  const temporal = {
    address: ADDRESS,
    namespace: 'default',
    connection: { address: ADDRESS },
    isEmbedded: true,
    client: {
      workflow: { list },
      workflowService: { describeNamespace: () => Promise.resolve({ namespaceInfo: { id: 'id-0' } }) },
      withDeadline: <T>(_: number, work: () => Promise<T>): Promise<T> => work(),
    },
    proveAlone: () => Promise.resolve(isAlone),
  };
  const open = { api: { baseUrl: API_URL }, profile: { userId: 'u1' } };
  const starting = startLocalWorker({
    temporal: temporal as unknown as Temporal,
    ledger,
    store: {} as Store,
    open: open as unknown as ConnectedApi,
    settings: { home, config: {} },
    onFault: () => undefined,
    say,
    atFaultPoint: undefined,
  });
  const error: unknown = await starting.catch((reason: unknown) => reason);
  rmSync(home, { recursive: true });
  return error;
}

async function* noWorkflow(): AsyncGenerator<never> {
  // None runs.
}

async function* unanswered(): AsyncGenerator<never> {
  yield await Promise.reject(new ServiceError('no answer'));
}

describe('the worker of a command', () => {
  it.each([
    ['takes those of dead processes for dead', true, []],
    ['takes none for dead where another process came since the server was joined', false, ['other']],
  ])('%s', async (_, isAlone, living) => {
    await place.ledger.beat({ owner: 'other', apiUrl: API_URL, account: 'u1' });
    await start(isAlone);
    expect(await place.ledger.livingWorkers(API_URL, 'u1')).toEqual(living);
  });

  it.each([
    ['before the worker has reached it', false, noWorkflow],
    ['while it is asked for what dead processes had begun', true, unanswered],
  ])('says that Temporal cannot be reached where that goes away %s', async (_, isAlone, list) => {
    const error = await start(isAlone, list);
    expect(error).toBeInstanceOf(VoxbatchError);
    expect(error).toMatchObject({ problem: { type: 'server-gone', address: ADDRESS } });
    expect(String(error)).toContain(`Temporal at ${ADDRESS} went away`);
  });
});

it('a worker of a ledger in PostgreSQL says that it uses a Temporal server of its own', async () => {
  const said: string[] = [];
  const say = (line: string): void => {
    if (line.startsWith('TEMPORAL_ADDRESS')) said.push(line);
  };
  await start(true, noWorkflow, { say });
  expect(said).toEqual([]);
  await start(true, noWorkflow, { say, ledger: { ...place.ledger, place: 'postgres://database/voxbatch' } });
  expect(said).toEqual([expect.stringMatching(/^TEMPORAL_ADDRESS is not set: .*set TEMPORAL_ADDRESS to their server/)]);
});

describe('the log of a worker', () => {
  it('goes to its file, and with --verbose line by line to whoever listens, too', () => {
    const home = mkdtempSync(join(tmpdir(), 'voxbatch-worker-'));
    const heard: string[] = [];
    const output = { ...capture({ out: '', err: '' }), say: (line: string) => heard.push(line), isVerbose: true };
    const log = openLog(home, logOf(output));
    log.warn({ row: 7 }, 'download failed');
    log.warn({ row: 8 }, 'download failed');
    const file = readFileSync(join(home, 'logs', 'worker.log'), 'utf8');
    rmSync(home, { recursive: true });
    expect(heard).toHaveLength(2);
    expect(`${heard.join('\n')}\n`).toBe(file);
    expect(JSON.parse(heard[0] ?? '')).toMatchObject({ row: 7, msg: 'download failed' });
  });

  it('is heard by nobody without --verbose', () => expect(logOf(capture({ out: '', err: '' }))).toBeUndefined());
});
