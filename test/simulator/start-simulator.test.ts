import { describe, expect, it } from '@jest/globals';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { hearMp3 } from './hear.ts';
import { fetchWhole, jobIdIn, linkIn, openSimulator } from './with-simulator.ts';

const JOBS = '/speech/tts/jobs';
const LIP = '/media/lip-sync/jobs';
const line = (text: string): Record<string, unknown> => ({ text, voiceId: 'narrator' });

describe('startSimulator', () => {
  it('speaks, charges once, and serves what it spoke', async () => {
    const { call, simulator } = await openSimulator({ credits: 100 });
    const created = await call('POST', JOBS, line('Twelve chars'), { 'idempotency-key': 'key-1' });
    expect(created.status).toBe(202);
    const link = linkIn(await call('GET', `${JOBS}/${jobIdIn(created)}`));
    const file = await fetchWhole(link);
    expect((await hearMp3(file.bytes)).seconds).toBeCloseTo(0.8, 1);
    expect(new URL(link).origin).not.toBe(new URL(simulator.url).origin);
    expect(simulator.ledger()).toMatchObject([
      {
        operation: 'speech-job',
        credits: 6,
        jobId: jobIdIn(created),
        idempotencyKey: 'key-1',
        text: 'Twelve chars',
        answered: 'sent',
      },
    ]);
    expect((await call('GET', '/profile')).json).toMatchObject({ api_quota_remaining: 94 });
  });

  it('transcribes its own speech word by word, and charges each started second', async () => {
    const { call, simulator } = await openSimulator();
    const text = 'Thirty-one characters of a line.';
    const job = await call('POST', JOBS, line(text));
    const audioUrl = linkIn(await call('GET', `${JOBS}/${jobIdIn(job)}`));
    const reply = await call('POST', '/speech/transcriptions', { audioUrl });
    expect(reply.json).toMatchObject({ text, credits_used: 3 });
    expect(
      (await call('POST', '/speech/transcriptions', { audioUrl: 'https://a.example/b?seconds=12.4' })).json,
    ).toMatchObject({
      duration: 12.4,
      credits_used: 13,
    });
    expect(simulator.ledger().map(({ credits }) => credits)).toEqual([16, 3, 13]);
  });

  it('makes a lip-sync of the given audio, and lists it newest first', async () => {
    const { call, simulator } = await openSimulator({ plan: { echoInputs: true } });
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      const audioUrl = `${simulator.mediaUrl}/samples/voice-${n}.mp3`;
      const reply = await call('POST', LIP, { videoUrl: `${simulator.mediaUrl}/samples/face.mp4`, audioUrl });
      expect(reply.json).toMatchObject({ success: true, data: { credits_used: 5 } });
      ids.unshift(jobIdIn(reply));
    }
    const listed = async (query: string): Promise<unknown> => {
      const { text } = await call('GET', LIP + query);
      return [...text.matchAll(/"id":"([^"]+)"/g)].map((match) => match[1]);
    };
    expect(await listed('')).toEqual(ids);
    expect(await listed('?page=2&limit=2')).toEqual(ids.slice(2));
    expect(await listed('?status=completed')).toEqual(ids);
    expect(await listed('?status=failed')).toEqual([]);
    expect((await call('GET', LIP)).text).toContain('voice-3.mp3');
    expect((await call('GET', `${LIP}?limit=51`)).status).toBe(400);
  });

  it('lets links expire, and gives a fresh one for a new look', async () => {
    const { call } = await openSimulator({ linkLifeMs: 0 });
    const id = jobIdIn(await call('POST', JOBS, line('short lived')));
    const first = linkIn(await call('GET', `${JOBS}/${id}`));
    for (let i = 0; i < 4; i++) {
      const dead = await fetchWhole(`${first}&try=${i}`);
      expect([403, 410]).toContain(dead.status);
      expect(dead.contentType).toMatch(/xml|html/);
    }
    expect(linkIn(await call('GET', `${JOBS}/${id}`))).not.toBe(first);
  });

  it('fails a lip-sync job whose audio link has expired, and keeps the charge', async () => {
    const { call, simulator } = await openSimulator({ linkLifeMs: 0, jobMs: [1, 1] });
    const speech = jobIdIn(await call('POST', JOBS, line('gone')));
    let reading = await call('GET', `${JOBS}/${speech}`);
    while (!reading.text.includes('/results/')) reading = await call('GET', `${JOBS}/${speech}`);
    const id = jobIdIn(await call('POST', LIP, { videoUrl: 'https://a.example/v.mp4', audioUrl: linkIn(reading) }));
    let job = await call('GET', `${LIP}/${id}`);
    while (!/"status":"(failed|error)"/.test(job.text)) job = await call('GET', `${LIP}/${id}`);
    expect(job.text).toContain('expired');
    expect(simulator.ledger()).toHaveLength(2);
  });

  it('tells a token at the media origin from one that stayed at home', async () => {
    const { origin, simulator } = await openSimulator();
    await fetchWhole(`${simulator.mediaUrl}/samples/voice-1.wav`);
    expect((await origin('GET', '/__simulator/stats')).json).toMatchObject({ foreignAuthorizations: 0 });
    await fetchWhole(`${simulator.mediaUrl}/samples/voice-1.wav`, { headers: { authorization: 'Bearer x' } });
    expect((await origin('GET', '/__simulator/stats')).json).toMatchObject({ foreignAuthorizations: 1 });
  });

  it('says no as the service does', async () => {
    const { call, simulator } = await openSimulator({ credits: 10 });
    const status = async (...request: Parameters<typeof call>): Promise<number> => (await call(...request)).status;
    expect(await status('GET', '/profile', undefined, { authorization: 'Bearer no' })).toBe(401);
    expect(await status('POST', JOBS, line('x'.repeat(21)))).toBe(402);
    expect(await status('POST', JOBS, { voiceId: 'narrator' })).toBe(400);
    expect(await status('POST', JOBS, { ...line('x'), speed: 3 })).toBe(400);
    expect(await status('POST', JOBS, line('  '))).toBe(400);
    expect(await status('GET', `${JOBS}/b7e23ec2-9af2-4a3f-8a26-6d8b0e2a7f11`)).toBe(404);
    const lost = await call('GET', '/speech/tts/job');
    expect([lost.status, lost.contentType.startsWith('text/html')]).toEqual([404, true]);
    expect(simulator.ledger()).toEqual([]);
    expect(await status('POST', JOBS, { ...line('x'.repeat(20)), latency: 'low' })).toBe(202);
  });

  it('takes no more than its rate, and says when to come again', async () => {
    const { call, simulator, origin } = await openSimulator({ rate: 2 });
    const replies = await Promise.all(Array.from({ length: 10 }, () => call('POST', JOBS, line('x'))));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(7);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(simulator.ledger()).toHaveLength(10 - refused.length);
    await origin('PUT', '/__simulator/settings', { rate: null });
    expect((await call('POST', JOBS, line('x'))).status).toBe(202);
  });

  it('takes no more unfinished jobs than it may', async () => {
    const plan: SimulatorOptions['plan'] = { rules: [{ on: 'create', fault: 'job-stuck' }] };
    const { call, simulator } = await openSimulator({ concurrency: 2, plan });
    const replies = await Promise.all(Array.from({ length: 5 }, () => call('POST', JOBS, line('x'))));
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(3);
    expect(simulator.ledger()).toHaveLength(2);
  });

  it('changes plan and settings while it runs, and refuses what it does not know', async () => {
    const { call, origin } = await openSimulator();
    expect((await origin('PUT', '/__simulator/plan', { rules: [{ on: 'profile', fault: 'html' }] })).status).toBe(200);
    expect((await call('GET', '/profile')).contentType).toContain('text/html');
    expect((await origin('PUT', '/__simulator/plan', { rule: [] })).status).toBe(400);
    expect((await origin('PUT', '/__simulator/settings', { tokens: 'x' })).status).toBe(400);
    expect((await origin('PUT', '/__simulator/settings', { token: 'other', credits: 5 })).status).toBe(200);
    expect((await call('GET', '/profile')).status).toBe(401);
  });

  it('changes how long jobs take, those that run as well', async () => {
    const { call, origin } = await openSimulator({ jobMs: [3_600_000, 3_600_000] });
    const [first, second] = [await call('POST', JOBS, line('x')), await call('POST', JOBS, line('y'))];
    expect((await origin('PUT', '/__simulator/settings', { jobMs: [10, 5] })).status).toBe(400);
    expect((await origin('PUT', '/__simulator/settings', { jobMs: [0, 0] })).status).toBe(200);
    for (const { text } of [first, second, await call('POST', JOBS, line('z'))]) {
      const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0] ?? '';
      expect((await call('GET', `${JOBS}/${id}`)).text).toMatch(/https?:/);
    }
  });

  it('keeps an account id that follows from the token', async () => {
    const idOf = async (token: string): Promise<unknown> =>
      ((await (await openSimulator({ token })).call('GET', '/profile')).json as { user_id: string }).user_id;
    expect(await idOf('one')).toBe(await idOf('one'));
    expect(await idOf('one')).not.toBe(await idOf('two'));
  });
});
