/** @slow */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import Database from 'libsql';
import { showSchedule } from '../../client/schedules/schedule-view.ts';
import { deleteSchedule } from '../../client/schedules/control-schedule.ts';
import { taskQueueOf } from '../../contract/names.ts';
import { firingIdOf, scheduleIdOf } from '../../contract/schedule.ts';
import { spanOfTrigger } from '../../policy/schedules/legal-firing.ts';
import type { ForeignOrder, ForeignReport } from '../support/foreign-client.ts';
import { spawnTypescript } from '../support/run-typescript.ts';
import { ScheduleWorld } from '../support/schedule-world.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 3;
const NOBODY = 65_534;
const SECRET = 'id,text,voice\ns,A line of the secret file.,narrator\n';

let here: ScheduleWorld;
/** The folder that others may write to. */
let foreign: string;

beforeAll(async () => {
  here = await ScheduleWorld.open(97, ROWS);
  foreign = here.world.path('foreign');
  await mkdir(foreign);
  await chmod(here.world.folder, 0o755);
  await chmod(foreign, 0o777);
  await writeFile(here.world.path('foreign', 'mine.csv'), 'id,kind,text,voice\nm,tts,Mine.,narrator\n', {
    mode: 0o644,
  });
  await here.world.write('secret.csv', SECRET);
  await chmod(here.world.path('secret.csv'), 0o600);
});

/** As another user, where this process may start one that can read our programs; else as ourselves. */
async function asForeigner(order: Omit<ForeignOrder, 'address' | 'taskQueue'>): Promise<ForeignReport> {
  const { port } = (await here.world.server()) ?? {};
  const { settings } = (await here.ledger.scheduleRecord('model')) ?? {};
  if (port === undefined || settings === undefined) throw new Error('no server');
  const taskQueue = taskQueueOf({ ...settings, ledgerId: here.ledger.id });
  const whole: ForeignOrder = { ...order, address: `127.0.0.1:${port}`, taskQueue };
  const seen = spawnSync(process.execPath, ['-e', `require('fs').readdirSync(${JSON.stringify(process.cwd())})`], {
    ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
    cwd: '/',
  });
  const user = process.getuid?.() === 0 && seen.status === 0 ? NOBODY : undefined;
  const { PATH } = process.env;
  const child = spawnTypescript('test/support/foreign-client.ts', [JSON.stringify(whole)], { PATH }, user);
  if (child.stdout === null || child.stderr === null) throw new Error('no streams');
  const [out, wrong] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (out === '') throw new Error(`The foreign client ended without a report: ${wrong}`);
  const report = JSON.parse(out) as ForeignReport;
  if (user !== undefined) expect(report.uid).toBe(user);
  return report;
}

/** Id of a workflow of one's own that says to be a firing for a time. */
const idFor = (at: number): string => firingIdOf('anybody', 'mine', at);

describe('somebody else who reaches the server', () => {
  it('has nothing paid, read or written, by no workflow and no activity', async () => {
    await here.create('own', { cron: '0 0 29 2 *' });
    await here.schedule('trigger', 'own', '--wait');
    const [honest] = await here.untilOver('own', 1);
    if (honest === undefined) throw new Error('it did not fire');
    await here.untilWritten([honest]);
    const charged = here.world.charges().size;
    expect(charged).toBe(ROWS);
    const run = (await showSchedule(here.place, 'own')).run;
    // Right after the trigger, which may fire once within ten minutes, and has.
    const now = honest.at + 10_000;
    const mine = { ...run, manifest: `${foreign}/mine.csv`, outFolder: `${foreign}/out` };
    const secret = { ...mine, manifest: here.world.path('secret.csv'), map: { text: '[default]' } };
    const cached = { ...secret, tunables: { ...run?.tunables, cache: 'only' } };

    const report = await asForeigner({
      workflows: [
        { type: 'fireSchedule', id: idFor(now), input: { schedule: 'mine', run: mine } },
        { type: 'fireSchedule', id: idFor(now + 1_000), input: { schedule: 'own', run: mine } },
        { type: 'fireSchedule', id: idFor(now + 2_000), input: { schedule: 'own', run: cached } },
        { type: 'fireSchedule', id: idFor(honest.at), input: { schedule: 'own', run: mine } },
        { type: 'superviseBatch', id: 'mine', input: { batch: 'mine' } },
      ],
      activities: [
        { type: 'openOccurrence', input: { schedule: 'mine', at: now, run: mine, waitedMs: 0 } },
        { type: 'openOccurrence', input: { schedule: 'own', at: now, run: cached, waitedMs: 0 } },
        { type: 'openOccurrence', input: { schedule: 'own', at: 'now' } },
        { type: 'awaitOccurrence', input: { batch: honest.batch, out: `${foreign}/out` } },
        { type: 'awaitOccurrence', input: 'mine' },
        { type: 'workLane', input: { batch: honest.batch, lane: -1, lanes: 1, run: 'r' } },
        { type: 'workLane', input: { batch: honest.batch, lane: 1, lanes: 1e9, run: 'r' } },
        { type: 'surveyBatch', input: { name: honest.batch } },
        { type: 'stopBatch', input: '../own' },
      ],
    });

    expect(here.world.charges().size).toBe(charged);
    expect(await readdir(foreign)).toEqual(['mine.csv']);
    const [unknown, undue, unread, again, noBatch] = report.workflows;
    expect(unknown).toContain('The ledger knows no schedule "mine". Nothing was spent.');
    expect(undue).toContain('the schedule is not due then, and nobody has asked for it');
    expect(unread).toContain('the schedule is not due then');
    // It is written where it was, once more.
    expect(again).toContain('had ended before this firing began');
    expect(noBatch).toContain('Activity task failed');
    expect(report.activities).toEqual([
      expect.stringContaining('The ledger knows no schedule \\"mine\\".'),
      expect.stringContaining(
        '"type":"skipped","reason":"The ledger does not allow this firing: the schedule is not due',
      ),
      expect.stringContaining('No openOccurrence with this argument: at'),
      expect.stringContaining('"type":"ended"'),
      'The ledger has no occurrence with a batch "mine".',
      expect.stringContaining('No workLane with this argument: lane'),
      expect.stringContaining('No workLane with this argument: lanes'),
      expect.stringContaining('No surveyBatch with this argument'),
      'The ledger of a worker has no batch "../own". Nothing was sent.',
    ]);
    // Nothing is on record of what nobody here asked for.
    expect((await here.occurrences('own')).map(({ batch }) => batch)).toEqual([honest.batch]);
    expect(await here.world.read('out', honest.batch, 'results.csv')).not.toContain('secret');
    for (const { name } of await here.ledger.listBatches()) expect([honest.batch]).toContain(name);
  });

  it('gets no answer by HTTP from any port of the server, whatever host and content it names', async () => {
    const { pid } = (await here.world.server()) ?? {};
    const ports = await portsOf(pid ?? 0);
    expect(ports.length).toBeGreaterThan(1);
    const workflow = '/api/v1/namespaces/default/workflows/by-http';
    const body = JSON.stringify({ workflowType: { name: 'fireSchedule' }, taskQueue: { name: 'q' } });
    for (const port of ports) {
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'rebound.example', '', '{nobody}', 'nobody']) {
        const head = `Host: ${host}\r\nOrigin: https://page.example\r\nConnection: close\r\n`;
        expect(await ask(port, `GET /api/v1/namespaces HTTP/1.1\r\n${head}\r\n`)).not.toContain('namespaceInfo');
        const length = Buffer.byteLength(body);
        const post = `POST ${workflow} HTTP/1.1\r\n${head}Content-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n${body}`;
        expect(await ask(port, post)).not.toMatch(/^HTTP\/1\.\d 2/);
      }
      expect(await ask(port, 'GET /api/v1/namespaces HTTP/1.0\r\n\r\n')).not.toContain('namespaceInfo');
      expect(await ask(port, 'GET / HTTP/1.0\r\n\r\n')).not.toContain('<html');
    }
    await expect(here.client.workflow.getHandle('by-http').describe()).rejects.toThrow('not found');
  });
});

it('somebody else who lifts a pause in Temporal has nothing paid, neither for a due time nor for a trigger from before, and no hook called', async () => {
  await here.create('lifted', { every: '2s', overlap: 'allow' });
  await here.ledger.setScheduleHooks('lifted', { onEnd: 'true' });
  // As Temporal leaves it where a trigger comes in the second of a due time.
  await here.ledger.allowFirings('lifted', { kind: 'trigger', ...spanOfTrigger(Date.now()) });
  await here.schedule('pause', 'lifted', '--note', 'maintenance by Ada');
  // Longer ago than clocks may differ.
  const database = new Database(here.world.path('.voxbatch', 'ledger.db'));
  // The worker writes there, too.
  database.exec('pragma busy_timeout = 60000');
  database.exec(`update allowed_firings set until_at = until_at - 120000 where schedule = 'lifted' and kind = 'due'`);
  database.close();
  await here.untilOver('lifted', 0);
  const since = Date.now();
  const handle = here.client.schedule.getHandle(scheduleIdOf(here.ledger.id, 'lifted'));
  await handle.unpause('resumed by ops');
  const firedSince = async (): Promise<readonly number[]> =>
    (await handle.describe()).info.recentActions.map((one) => one.scheduledAt.getTime()).filter((at) => at > since);
  await waitFor(async () => (await firedSince()).length >= 3);
  const { workflows } = await asForeigner({
    workflows: [
      {
        type: 'fireSchedule',
        id: idFor(Math.floor(Date.now() / 2_000) * 2_000 - 1_000),
        input: { schedule: 'lifted' },
      },
    ],
    activities: [],
  });
  expect(workflows).toEqual([expect.stringContaining('the schedule is not due then, and nobody has asked for it')]);
  const fired = await firedSince();
  for (const at of fired) {
    await here.client.workflow
      .getHandle(firingIdOf(here.ledger.id, 'lifted', at))
      .result()
      .catch(() => undefined);
  }

  const { view } = await showSchedule(here.place, 'lifted', { from: since });
  expect(view).toMatchObject({ paused: true, note: 'maintenance by Ada' });
  expect(view.occurrences.length).toBeGreaterThanOrEqual(fired.length);
  for (const one of view.occurrences) {
    expect(one).toMatchObject({
      state: 'skipped',
      cause: 'paused',
      reason: 'The schedule was paused: maintenance by Ada',
    });
    expect(await here.ledger.noticesOf(one.batch)).toEqual([]);
    expect(here.world.charges(one.batch).size).toBe(0);
  }
  // What is asked for after the pause is made.
  await here.schedule('trigger', 'lifted', '--wait');
  const made = (await here.occurrences('lifted')).filter(({ at, state }) => at > since && state === 'ended');
  expect(made.map(({ batch }) => here.world.charges(batch).size)).toEqual([ROWS]);
  await deleteSchedule(here.place, 'lifted');
});

/** The ports at which a process listens. */
async function portsOf(pid: number): Promise<readonly number[]> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
  const sockets = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const lines = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).trim().split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    return state === '0A' && sockets.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
}

/** Sends bytes to a port of this machine, and returns the answer, or as much of it as came before the end. */
function ask(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 }, () => socket.write(request));
    const end = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (bytes) => (answer += bytes.toString('latin1')));
    for (const event of ['end', 'close', 'error', 'timeout']) socket.on(event, end);
  });
}
