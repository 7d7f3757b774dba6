/** @slow */
import { rename } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { saying } from '../support/batch-end.ts';
import { openCluster } from '../support/cluster.ts';
import { freePort } from '../support/free-port.ts';
import { ask, scrape, sumOf } from '../support/scrape.ts';
import { openSmallWorld } from '../support/small-batch.ts';
import { waitFor } from '../support/wait-for.ts';
import { serve } from '../support/api-server.ts';

const ROWS = 24;

describe('metrics', () => {
  it('of two workers agree with the ledger, with what the service charged, and with each other', async () => {
    const { world, env, workers } = await openCluster(
      { seed: 12, createMs: [5, 20], jobMs: [300, 1_000], rows: ROWS, kinds: ['tts', 'stt'] },
      0,
    );
    const ports = [await freePort(), await freePort()];
    for (const port of ports)
      workers.push(await world.startWorking(['worker', '--metrics-port', String(port)], { env }));
    for (const port of ports) expect(await ask(port, '/readyz')).toEqual({ status: 200, body: 'ready\n' });
    const run = world.start(['run', 'lines.csv', '--window', '4', '--rate', '12', '--halt', 'never'], { env });
    await world.untilCharged(ROWS / 4);
    // A row has one standing, whatever happens between two scrapes.
    for (const port of ports) expect(sumOf(await scrape(port), 'voxbatch_rows{batch="lines"')).toBe(ROWS);
    expect(await run.ended).toMatchObject({ code: 0 });
    const ended = 'voxbatch_batch_state{batch="lines",state="closed",paused_by=""}';
    await waitFor(async () => (await Promise.all(ports.map(scrape))).every((series) => series.has(ended)));
    const all = await Promise.all(ports.map(scrape));
    const { credits } = JSON.parse((await world.run(['status', 'lines', '--json'], { env })).stdout) as {
      credits: Record<string, number>;
    };
    for (const series of all) {
      expect(series.get('voxbatch_rows{batch="lines",standing="succeeded"}')).toBe(ROWS);
      expect(series.get('voxbatch_credits{batch="lines",kind="charged"}')).toBe(credits['charged']);
      expect(series.get('voxbatch_ready')).toBe(1);
      expect(sumOf(series, 'temporal_worker_start_total')).toBe(1);
      expect(
        [...series.keys()].filter(
          (name) => !name.startsWith('temporal_') && /"r?\d+"/.test(name.replace(/le="[^"]+"/, '')),
        ),
      ).toEqual([]);
    }
    const counted = (name: string): number => all.reduce((sum, series) => sum + sumOf(series, name), 0);
    const accepted = ['accepted', 'done'].map((verdict) =>
      all.reduce(
        (sum, series) =>
          sum +
          [...series]
            .filter(([name]) => name.startsWith('voxbatch_requests_total') && name.includes(`verdict="${verdict}"`))
            .reduce((of, [, value]) => of + value, 0),
        0,
      ),
    );
    expect(accepted.reduce((sum, value) => sum + value, 0)).toBe(world.charges().size);
    expect(counted('voxbatch_request_duration_seconds_count')).toBe(counted('voxbatch_requests_total'));
    expect(counted('voxbatch_job_duration_seconds_count')).toBe(ROWS / 2);
    // Its store is away, and back.
    const [store, away] = [world.path('.voxbatch', 'store'), world.path('.voxbatch', 'away')];
    await rename(store, away);
    const [port = 0] = ports;
    expect(await ask(port, '/readyz')).toMatchObject({ status: 503, body: saying('The store does not answer') });
    expect(await ask(port, '/healthz')).toMatchObject({ status: 200 });
    await rename(away, store);
    expect(await ask(port, '/readyz')).toMatchObject({ status: 200 });
    await Promise.all(workers.map((worker) => worker.endInOrder()));
    await expect(ask(port, '/healthz')).rejects.toThrow('ECONNREFUSED');
    // Other processes do the work of a run here.
    expect(await world.run(['run', 'lines.csv', '--metrics-port', '0'], { env })).toMatchObject({
      code: 2,
      stderr: saying('give --metrics-port to voxbatch worker'),
    });
  });

  it('go to a collector where the environment says so, ours and those of Temporal', async () => {
    const { origin: url, seen: sent } = await serve((_, response) => response.end());
    const world = await openSmallWorld();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=nobody%20knows',
      OTEL_METRIC_EXPORT_INTERVAL: '300',
    };
    const { code, stderr } = await world.run(['run', 'lines.csv'], { env });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: saying(`Metrics are sent to ${url}.`) });
    expect(stderr).not.toContain('nobody knows');
    const last = sent.at(-1);
    expect(last).toMatchObject({ url: '/v1/metrics', headers: { 'x-key': 'nobody knows' } });
    for (const name of ['voxbatch_requests', 'voxbatch_rows', 'voxbatch_credits', 'temporal_worker_start'])
      expect(last?.body).toContain(name);
    // As they were when the batch had ended.
    expect(last?.body).toMatch(/state[^a-z]+closed/);
  });

  it('refuse a port that another program uses, before anything is paid', async () => {
    const { port } = await serve(() => undefined);
    const world = await openSmallWorld(2);
    const { code, stderr } = await world.run(['run', 'lines.csv', '--metrics-port', String(port)]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: saying(`Another program uses port ${String(port)}`) });
    expect(world.charges().size).toBe(0);
    expect(await world.run(['run', 'lines.csv', '--metrics-port', '127.0.0.1:0'])).toMatchObject({
      code: 0,
      stderr: saying('Metrics are at http://127.0.0.1:'),
    });
  });
});
