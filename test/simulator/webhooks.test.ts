import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WebhookMode } from '../../simulator/webhook-modes.ts';
import { waitFor } from '../support/wait-for.ts';
import { jobIdIn, openSimulator, type Client } from './with-simulator.ts';
import { type TestServer, serve } from '../support/api-server.ts';

interface Seen {
  readonly path: string;
  readonly type: string | undefined;
  /** Path, query, headers and body. */
  readonly said: string;
}

let seen: Seen[];
let receiver: TestServer;
beforeEach(async () => {
  seen = [];
  receiver = await serve(({ url, headers, body }, response) => {
    const { pathname: path } = new URL(url, 'http://receiver');
    seen.push({ path, type: headers['content-type'], said: [url, ...Object.entries(headers).flat(), body].join(' ') });
    response.end();
  });
});

const SPEECH = { text: 'hello', voiceId: 'narrator' };

async function setAddress({ call }: Client): Promise<void> {
  const { port } = receiver;
  const answer = await call('POST', '/profile', { webhookUrl: `http://127.0.0.1:${String(port)}/hook` });
  expect(answer.status).toBe(200);
}

describe('the webhooks of the simulator', () => {
  it.each<readonly [WebhookMode, readonly string[]]>([
    ['each', ['/hook']],
    ['late', ['/hook']],
    ['early', ['/hook']],
    ['twice', ['/hook', '/hook']],
    ['forged', ['/hook', '/hook', '/hook', '/hook-']],
  ])('%s', async (webhooks, paths) => {
    const client = await openSimulator({ webhooks, jobMs: [30, 30] });
    await setAddress(client);
    const id = jobIdIn(await client.call('POST', '/speech/tts/jobs', SPEECH));
    await waitFor(() => seen.length >= paths.length);
    expect(seen.map(({ path }) => path).sort()).toEqual(paths);
    expect(seen.filter(({ said }) => said.includes(id)).length).toBe(
      webhooks === 'forged' ? paths.length - 1 : paths.length,
    );
    expect(client.simulator.ledger()).toHaveLength(1);
  });

  it('come in each form, with and without a type, by the seed', async () => {
    const client = await openSimulator({ webhooks: 'each', jobMs: [1, 1] });
    await setAddress(client);
    for (let job = 0; job < 40; job++) await client.call('POST', '/speech/tts/jobs', SPEECH);
    await waitFor(() => seen.length >= 40);
    const types = new Set(seen.map(({ type }) => type));
    const all = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', undefined];
    expect([...types].sort()).toEqual(all);
  });

  it('never come for a stuck job', async () => {
    const plan = { rules: [{ on: 'create' as const, match: { text: 'stuck' }, fault: 'job-stuck' as const }] };
    const client = await openSimulator({ webhooks: 'each', jobMs: [1, 1], plan });
    await setAddress(client);
    await client.call('POST', '/speech/tts/jobs', { ...SPEECH, text: 'stuck' });
    const id = jobIdIn(await client.call('POST', '/speech/tts/jobs', SPEECH));
    await waitFor(() => seen.length > 0);
    expect(seen.map(({ said }) => said.includes(id))).toEqual([true]);
  });

  it('are chosen at run time, too, and reads of jobs are counted by whether they had ended', async () => {
    const { call, origin } = await openSimulator({ jobMs: [0, 0] });
    expect((await origin('PUT', '/__simulator/settings', { webhooks: 'sometimes' })).status).toBe(400);
    expect((await origin('PUT', '/__simulator/settings', { webhooks: 'never', jobMs: [60_000, 60_000] })).status).toBe(
      200,
    );
    const running = jobIdIn(await call('POST', '/speech/tts/jobs', SPEECH));
    await call('GET', `/speech/tts/jobs/${running}`);
    await call('GET', `/speech/tts/jobs/${running}`);
    await call('GET', '/speech/tts/jobs/other');
    expect((await origin('GET', '/__simulator/stats')).json).toMatchObject({ jobReads: { running: 2, ended: 0 } });
  });
});
