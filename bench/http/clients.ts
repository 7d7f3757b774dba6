import http from 'node:http';
import axios from 'axios';
import { createAgents } from '../../api/agents.ts';
import { targetOf } from '../../api/exchange.ts';
import type { AnswerHead, NoAnswer, makeRequest } from '../../api/http.ts';
import { createSpeechApi } from '../../api/create-api.ts';
import { readAnswer } from '../../api/read-answer.ts';
import type { PaidRequest } from '../../api/speech-api.ts';

/** Creates a job and reads it: two requests, one after the other. */
export type Pair = () => Promise<void>;

const TOKEN = 'bench-token-0123456789abcdef';
const PAID: PaidRequest = {
  operation: 'speech-job',
  spec: { kind: 'tts', text: 'The quick brown fox jumps over the lazy dog.', voice: 'v-1', extra: {} },
  idempotencyKey: 'voxbatch-bench-b-1-speech-1',
  isRepeat: false,
  trust503: true,
};
const TEXT = JSON.stringify({ text: PAID.spec.text, voiceId: PAID.spec.voice });
const POST_PATH = '/api/open/v1/speech/tts/jobs';
const HEADERS = { Authorization: `Bearer ${TOKEN}`, Accept: 'application/json', 'User-Agent': 'voxbatch' };
const POST_HEADERS = {
  ...HEADERS,
  'Content-Type': 'application/json',
  'Idempotency-Key': PAID.idempotencyKey,
};

/** Node's own client, wrapped only in a promise: no time limit, no size limit, no verdict. */
export function bare(origin: string): Pair {
  const agent = createAgents().free.http;
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const request = http.request(origin + path, { method, headers, agent }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          resolve(JSON.parse(Buffer.concat(pieces).toString('utf8')));
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  return async () => {
    const created = (await ask('POST', POST_PATH, POST_HEADERS, TEXT)) as { task: { id: string } };
    await ask('GET', `${POST_PATH}/${created.task.id}`, HEADERS);
  };
}

/** Plain axios, over its own HTTP adapter. */
export function stockAxios(origin: string): Pair {
  const client = axios.create({ httpAgent: new http.Agent({ keepAlive: true }), maxRedirects: 0, proxy: false });
  return async () => {
    const created = await client.post<{ task: { id: string } }>(origin + POST_PATH, TEXT, { headers: POST_HEADERS });
    await client.get(`${origin}${POST_PATH}/${created.data.task.id}`, { headers: HEADERS });
  };
}

/**
 * The exchange of this project, with its limits. `open`: through axios, as paid requests go, or without, as free ones.
 */
export function exchange(origin: string, open: typeof makeRequest): Pair {
  const common = {
    target: targetOf(new URL(origin)),
    agents: createAgents().free,
    connectTimeoutMs: 15_000,
    headTimeoutMs: 180_000,
    totalTimeoutMs: 180_000,
    idleTimeoutMs: 30_000,
    maxBytes: 16 * 1024 ** 2,
  };
  const ask = async (head: AnswerHead | NoAnswer): Promise<unknown> => {
    if (head.type === 'no-answer') throw new Error(head.cause);
    return (await readAnswer(head, common.maxBytes)).json;
  };
  return async () => {
    const post = { ...common, method: 'POST', path: POST_PATH, headers: POST_HEADERS, body: TEXT } as const;
    const { task } = (await ask(await open(post))) as { task: { id: string } };
    await ask(await open({ ...common, method: 'GET', path: `${POST_PATH}/${task.id}`, headers: HEADERS }));
  };
}

/** The whole client of the API, from the row to the verdict. `create` may be of an older version. */
export function speechApi(origin: string, create = createSpeechApi): Pair {
  const options = { baseUrl: `${origin}/api/open/v1`, token: TOKEN, trust503: true };
  const api = create(options);
  return async () => {
    const verdict = await api.send(PAID, {});
    if (verdict.verdict !== 'accepted') throw new Error(JSON.stringify(verdict));
    await api.readJob('speech-job', verdict.jobId);
  };
}
