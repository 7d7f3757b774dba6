/** @slow */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { triggerSchedule } from '../../client/schedules/steer-schedule.ts';
import { scheduleIdOf } from '../../contract/schedule.ts';
import { ScheduleWorld, SELDOM } from '../support/schedule-world.ts';
import { mixedManifest } from '../support/mixed-manifest.ts';
import { testsAtOnce } from '../support/tests-at-once.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 3;

interface Told {
  readonly type: string;
  readonly data: { readonly batch: string; readonly reason: string | null };
}

let here: ScheduleWorld;
let server: Server;
let origin = '';
const told: Told[] = [];
/** What the server gives for a manifest, and its `ETag`. */
const served = { manifest: mixedManifest(ROWS, ['tts']), etag: '"v1"' };

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { etag: served.etag }).end(served.manifest);
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      told.push(JSON.parse(body) as Told);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  here = await ScheduleWorld.create(95, ROWS);
});
afterAll(async () => {
  await here.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Fires again, for another second than before. */
async function fireAgain(name: string): Promise<void> {
  const last = (await here.occurrences(name)).at(-1)?.at ?? 0;
  await waitFor(() => Date.now() >= last + 1_000);
  await triggerSchedule(here.place, name);
}

testsAtOnce({
  'tells its hooks of a batch, once its files are there, and of an occurrence that made none': async () => {
    const url = `${origin}/T0/secret-path`;
    const command = 'test -f "out/$VOXBATCH_BATCH/summary.json" && echo "$VOXBATCH_EVENT" > heard';
    await here.writeManifest('hooked.csv');
    await here.schedule('create', 'hooked', 'hooked.csv', ...SELDOM, '--notify', url, '--on-end', command);
    const { action } = await here.client.schedule.getHandle(scheduleIdOf(here.ledger.id, 'hooked')).describe();
    expect(JSON.stringify(action)).not.toMatch(/secret-path|heard/);
    const shown = await here.schedule('show', 'hooked', '--json');
    expect(shown).toContain(`"notify":"${origin}/…"`);
    expect(shown).not.toContain('secret-path');

    await triggerSchedule(here.place, 'hooked');
    await here.untilOver('hooked', 1);
    await here.spoilManifest('hooked.csv');
    await fireAgain('hooked');
    const [good, bad] = await here.untilOver('hooked', 2);
    expect([good?.state, bad?.state]).toEqual(['ended', 'failed']);
    await waitFor(() => told.length >= 2 && existsSync(here.world.path('heard')));
    // Messages of different batches are delivered side by side.
    expect(told.toSorted((one, other) => (one.type < other.type ? -1 : 1))).toMatchObject([
      { type: 'batch.ended', data: { batch: good?.batch } },
      { type: 'occurrence.failed', data: { batch: bad?.batch, reason: bad?.reason } },
    ]);
  },

  'fetches its manifest each time, with the ETag on record, and says of one that it has not changed': async () => {
    await here.schedule('create', 'fetched', `${origin}/drop/lines.csv?sig=secret`, ...SELDOM);
    await triggerSchedule(here.place, 'fetched');
    await here.untilOver('fetched', 1);
    await fireAgain('fetched');
    await here.untilOver('fetched', 2);
    [served.manifest, served.etag] = [mixedManifest(ROWS + 1, ['tts']), '"v2"'];
    await fireAgain('fetched');
    expect(await here.untilOver('fetched', 3)).toMatchObject([
      { state: 'ended', exit: 'complete', etag: '"v1"', manifestUnchanged: false },
      { state: 'ended', exit: 'complete', etag: '"v1"', manifestUnchanged: true },
      { state: 'ended', exit: 'complete', etag: '"v2"', manifestUnchanged: false },
    ]);
    const shown = await here.schedule('show', 'fetched');
    expect(shown).toContain(`runs ${origin}/drop/lines.csv,`);
    expect(shown).toContain('manifest as before');
    expect(here.world.doubleCharges()).toEqual([]);
  },
});
