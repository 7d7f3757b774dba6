import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PaidRequest, Receive, SpeechApi } from '../../api/speech-api.ts';
import type { JobOperation, Operation, RowSpec } from '../../contract/row-kinds.ts';
import { type Client, openSimulator } from '../simulator/with-simulator.ts';
import { clientOf } from '../support/api-server.ts';
import { bytesOf } from './bodies.ts';

/** Our client and the simulator, which answers in another shape for each seed. */
const SEEDS = [1, 2, 3, 4, 5];

const size: Receive<number> = async (body) => (await bytesOf(body)).length;

function request(operation: Operation, spec: Partial<RowSpec>): PaidRequest {
  const whole = { kind: 'tts', extra: {}, ...spec } as RowSpec;
  return { operation, spec: whole, idempotencyKey: 'key-1', isRepeat: false, trust503: true };
}

const SPEECH = { text: 'Twelve chars', voice: 'narrator' };
const FACE = { video: 'https://in.example/face.mp4', audio: 'https://in.example/voice.mp3?seconds=4' };

/** The id of the job that a request made. */
async function accepted(api: SpeechApi, paid: PaidRequest): Promise<string> {
  const verdict = await api.send(paid, { receive: size });
  if (verdict.verdict !== 'accepted') throw new Error(JSON.stringify(verdict));
  return verdict.jobId;
}

/** Reads the job that a request makes, which has ended, and its result. */
async function readToItsEnd(api: SpeechApi, operation: JobOperation, spec: Partial<RowSpec>): Promise<void> {
  const job = await api.readJob(operation, await accepted(api, request(operation, spec)));
  expect(job).toMatchObject({ phase: 'completed', resultUrl: expect.any(String) });
  expect(await api.download(job.resultUrl ?? '', size)).toBeGreaterThan(1_000);
}

describe.each(SEEDS)('our client and the simulator, shapes of seed %d', (seed) => {
  let simulator: Client['simulator'];
  let api: SpeechApi;
  beforeEach(async () => {
    ({ simulator } = await openSimulator({ seed }));
    api = clientOf(new URL(simulator.url).origin, { token: simulator.token });
  });

  it('GET /profile: names the account and what is left', async () => {
    const { simulator: poor } = await openSimulator({ seed, credits: 50 });
    const profile = await clientOf(new URL(poor.url).origin, { token: poor.token }).readProfile();
    expect(profile).toMatchObject({ userId: expect.stringMatching(/^user_/), quotaRemaining: 50 });
  });

  it('GET /voices: lists the voices that speech may use', async () => {
    const ids: string[] = [];
    for await (const { id } of api.listVoices()) ids.push(id);
    expect(ids).toContain('narrator');
  });

  it('POST /speech/tts/jobs: makes one job, at the price of its text', async () => {
    const jobId = await accepted(api, request('speech-job', SPEECH));
    expect(simulator.ledger()).toMatchObject([{ operation: 'speech-job', jobId, credits: 6, answered: 'sent' }]);
  });

  it('GET /speech/tts/jobs/{taskId}: reads the job to its end, and its link leads to the speech', async () => {
    await readToItsEnd(api, 'speech-job', SPEECH);
  });

  it('POST /speech/tts: answers with the speech', async () => {
    const verdict = await api.send(request('speech-sync', SPEECH), { receive: size });
    expect(verdict).toMatchObject({ verdict: 'done', media: expect.any(Number) });
    expect(simulator.ledger()).toMatchObject([{ operation: 'speech-sync', credits: 6 }]);
  });

  it('POST /speech/tts: answers with a link to the speech where its cache is asked for', async () => {
    const verdict = await api.send(request('speech-sync', { ...SPEECH, extra: { cache: true } }), { receive: size });
    expect(verdict).toMatchObject({ verdict: 'done', media: expect.any(Number) });
  });

  it('POST /speech/transcriptions: answers with the words', async () => {
    const verdict = await api.send(request('transcription', { audio: 'https://in.example/a?seconds=12.4' }), {});
    expect(verdict).toMatchObject({ verdict: 'done', credits: 13, transcript: { text: expect.any(String) } });
  });

  it('POST /media/lip-sync/jobs: makes one job', async () => {
    const jobId = await accepted(api, request('lip-sync-job', FACE));
    expect(simulator.ledger()).toMatchObject([{ operation: 'lip-sync-job', jobId, videoUrl: FACE.video }]);
  });

  it('GET /media/lip-sync/jobs: lists the jobs page by page', async () => {
    const made: string[] = [];
    for (let n = 0; n < 3; n++) made.unshift(await accepted(api, request('lip-sync-job', FACE)));
    const [first, second] = [await api.listJobs('lip-sync-job', 1, 2), await api.listJobs('lip-sync-job', 2, 2)];
    expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(made);
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
  });

  it('GET /media/lip-sync/jobs/{jobId}: reads the job to its end, and its link leads to the video', async () => {
    await readToItsEnd(api, 'lip-sync-job', FACE);
  });

  const DUBBED = { ...SPEECH, video: FACE.video };
  it('POST /media/video-dubbing/jobs: makes one job', async () => {
    const jobId = await accepted(api, request('video-dubbing-job', DUBBED));
    expect(simulator.ledger()).toMatchObject([{ operation: 'video-dubbing-job', jobId }]);
  });

  it('GET /media/video-dubbing/jobs/{jobId}: reads the job to its end', async () => {
    await readToItsEnd(api, 'video-dubbing-job', DUBBED);
  });
});
