import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { createWriteStream } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { BodyInfo, PaidRequest, Receive } from '../../api/speech-api.ts';
import {
  always,
  clientOf,
  LIP_SYNC,
  serve,
  SPEECH_JOB,
  SPEECH_SYNC,
  TOKEN,
  TRANSCRIPTION,
  type TestServer,
} from '../support/api-server.ts';
import { bytesOf, streamOf } from './bodies.ts';

/** The start of an MP3, and enough after it to come in several pieces. */
const MP3 = Buffer.concat([Buffer.from('ID3\u0004\u0000\u0000', 'latin1'), Buffer.alloc(300_000, 0x55)]);

const take: Receive<{ bytes: Buffer; info: BodyInfo }> = async (body, info) => ({ bytes: await bytesOf(body), info });

/** A receiver that goes over pipes, as a store does. */
const takeByPipe: Receive<number> = async (body) => {
  let bytes = 0;
  await pipeline(streamOf(body), async function (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) bytes += piece.length;
  });
  return bytes;
};

/** A server that answers with these bytes as speech. */
const speaking = (body: string | Buffer = MP3, type = 'audio/mpeg'): Promise<TestServer> =>
  serve(always(200, body, type === '' ? {} : { 'content-type': type }));

/** What becomes of synchronous speech that the server gives. */
function say<T>({ origin }: TestServer, receive: Receive<T>, options: Parameters<typeof clientOf>[1] = {}) {
  return clientOf(origin, options).send(SPEECH_SYNC, { receive });
}

const unknownFor = (words: string): object => ({
  verdict: 'unknown',
  failure: { class: 'OutcomeUnknown', message: expect.stringContaining(words) },
});

describe('what is sent', () => {
  const { text } = SPEECH_JOB.spec;
  const { video, audio } = LIP_SYNC.spec;
  const FRESH = 'https://cdn.example/fresh';
  const dubbing = { kind: 'video-dubbing', text: 'Hello', voice: 'v-1', video: 'https://in.example/v' } as const;
  const all = { text: 'Grüße, 世界 😀', speed: 1.25, language: 'de' };
  const whole = { ...all, kind: 'tts', voice: 'v', engine: 'e', format: 'wav', duration: 3 } as const;
  const extra = { pitch: 2, format: 'ogg', nested: { a: [1, null] } };

  it.each<[PaidRequest, string, unknown]>([
    [SPEECH_JOB, '/speech/tts/jobs', { text, voiceId: 'v-1' }],
    [SPEECH_SYNC, '/speech/tts', { text, voiceId: 'v-1' }],
    [TRANSCRIPTION, '/speech/transcriptions', { audioUrl: TRANSCRIPTION.spec.audio, language: 'en' }],
    [LIP_SYNC, '/media/lip-sync/jobs', { videoUrl: video, audioUrl: audio }],
    [
      { ...LIP_SYNC, spec: { ...LIP_SYNC.spec, audio: FRESH } },
      '/media/lip-sync/jobs',
      { videoUrl: video, audioUrl: FRESH },
    ],
    [
      { ...SPEECH_JOB, operation: 'video-dubbing-job', spec: { ...dubbing, extra: { mode: 1 } } },
      '/media/video-dubbing/jobs',
      { video_url: dubbing.video, text: 'Hello', reference_id: 'v-1', mode: 1 },
    ],
    [
      { ...SPEECH_JOB, spec: { ...whole, extra } },
      '/speech/tts/jobs',
      { ...all, ...extra, voiceId: 'v', engineModelId: 'e' },
    ],
  ])('is the path, body and headers of $operation', async (request, path, body) => {
    const server = await serve(always(422, {}));
    await clientOf(server.origin, { userAgent: 'voxbatch/9.9' }).send(request, { receive: take });
    expect(server.seen).toHaveLength(1);
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: 'POST', url: `/api/open/v1${path}` });
    expect(JSON.parse(seen?.body ?? '')).toEqual(body);
    expect(seen?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(seen?.body ?? '')),
      'idempotency-key': request.idempotencyKey,
      'user-agent': 'voxbatch/9.9',
    });
    expect(seen?.headers.accept).toContain('application/json');
  });

  it('carries a hash where the idempotency key is no header value, the same each time', async () => {
    const server = await serve(always(422, {}));
    const api = clientOf(server.origin);
    const request = { ...SPEECH_JOB, idempotencyKey: 'bätch\r\nX-Evil: 1' };
    await api.send(request, {});
    await api.send(request, {});
    const keys = server.seen.map((seen) => seen.headers['idempotency-key']);
    expect(keys[0]).toMatch(/^voxbatch-[0-9a-f]{64}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(server.seen[0]?.headers['x-evil']).toBeUndefined();
  });
});

describe('speech in the answer', () => {
  it('is handed to the receiver with what is known about it', async () => {
    const headers = { 'content-type': 'Audio/MPEG; x=1', 'x-openapi-credits-used': '22', 'x-request-id': 'req_1' };
    const server = await serve(always(200, MP3, { ...headers, 'content-length': MP3.length }));
    const told = { credits: 22, requestId: 'req_1' };
    const info = { contentType: 'audio/mpeg', contentLength: MP3.length, ...told };
    expect(await say(server, take)).toEqual({ verdict: 'done', media: { bytes: MP3, info }, ...told });
  });

  it('is handed over while it is still being made, if its length is not known', async () => {
    let finish: () => void = () => undefined;
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'x-openapi-credits-used': '22' });
      response.write(MP3.subarray(0, 1_000));
      finish = () => response.end(MP3.subarray(1_000));
    });
    const receive: Receive<Buffer> = async (body, { credits }) => {
      expect(credits).toBe(22);
      finish();
      return bytesOf(body);
    };
    expect(await say(server, receive)).toMatchObject({ media: MP3 });
  });

  it('also comes over pipes, without a length and compressed', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-encoding': 'gzip' });
      response.end(gzipSync(MP3));
    });
    expect(await say(server, takeByPipe)).toEqual({ verdict: 'done', media: MP3.length });
    expect(await say(server, take)).toMatchObject({ media: { info: { contentType: 'audio/mpeg' } } });
  });

  it.each(['audio/mpeg', 'application/octet-stream', 'application/json', 'text/plain', ''])(
    'is told by its bytes when it is labelled %j',
    async (type) => {
      expect(await say(await speaking(MP3, type), takeByPipe)).toMatchObject({ verdict: 'done', media: MP3.length });
    },
  );

  it.each(['audio/mpeg', 'application/json', 'text/plain', ''])('an error labelled %j is an error', async (type) => {
    const body = '{"code":"ERR_VOICE_NOT_FOUND","message":"no such voice","requestId":"req_2"}';
    expect(await say(await speaking(body, type), take)).toMatchObject({
      verdict: 'rejected',
      failure: { class: 'BadRequest', code: 'ERR_VOICE_NOT_FOUND', requestId: 'req_2', status: 200 },
    });
  });

  it('is unknown where the body breaks off', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': MP3.length });
      response.write(MP3.subarray(0, 200_000), () => response.destroy());
    });
    for (const receive of [take, takeByPipe]) {
      const verdict = await say<unknown>(server, receive);
      expect(verdict).toMatchObject(unknownFor('broke off'));
      expect(verdict).toMatchObject(unknownFor('may have been charged'));
    }
    // A receiver that does not notice must not make a piece of a file into a result.
    const careless: Receive<string> = async (body) => {
      await bytesOf(body).catch(() => undefined);
      return 'fine';
    };
    expect(await say(server, careless)).toMatchObject({ verdict: 'unknown' });
  });

  it.each<[string, Receive<unknown>, string, Parameters<typeof clientOf>[1]?]>([
    ['is larger than the limit', take, 'larger than', { maxMediaBytes: 1_000 }],
    [
      'cannot be stored by this machine',
      (body) => pipeline(streamOf(body), createWriteStream('/dev/full')),
      'this machine could not store it: ENOSPC: no space left on device',
    ],
    ['is unfit', () => Promise.reject(new Error('no audio that can be decoded')), 'no audio that can be decoded'],
  ])('is unknown where the body %s', async (_, receive, words, options = {}) => {
    expect(await say(await speaking(), receive, options)).toMatchObject(unknownFor(words));
  });

  it('is not asked for where there is no place for it', async () => {
    const server = await speaking();
    expect(await clientOf(server.origin).send(SPEECH_SYNC, {})).toMatchObject({ verdict: 'rejected' });
    expect(server.connections()).toBe(0);
  });
});

describe('speech behind a link in the answer', () => {
  it('is fetched at once, from another origin without the token', async () => {
    const cdn = await serve(always(200, MP3, { 'content-type': 'audio/mpeg' }));
    const answer = { success: true, audio_url: `${cdn.origin}/a.mp3?sig=1`, credits_used: 12, quota_remaining: 1 };
    const verdict = await say(await serve(always(200, answer)), takeByPipe);
    expect(verdict).toEqual({ verdict: 'done', media: MP3.length, credits: 12 });
    expect(cdn.seen.map((seen) => [seen.url, seen.headers.authorization])).toEqual([['/a.mp3?sig=1', undefined]]);
  });

  it.each<[string, Parameters<typeof serve>[0]]>([
    ['is down', always(503, 'busy')],
    ['has not got it yet', always(404, '')],
    [
      'breaks off',
      (_, response) => void response.writeHead(200, { 'content-length': '9' }).end('ID3', () => response.destroy()),
    ],
  ])('is fetched again where its host %s', async (_, fails) => {
    let asked = 0;
    const cdn = await serve((request, response) => {
      asked += 1;
      if (asked === 1) fails(request, response);
      else always(200, MP3, { 'content-type': 'audio/mpeg' })(request, response);
    });
    const server = await serve(always(200, { audio_url: `${cdn.origin}/a.mp3?sig=1` }));
    expect(await say(server, takeByPipe)).toEqual({ verdict: 'done', media: MP3.length });
    expect([server.seen.length, cdn.seen.length]).toEqual([1, 2]);
  });

  it.each([
    [always(404, ''), '404'],
    [always(200, '<html>expired</html>', { 'content-type': 'text/html' }), 'a web page'],
  ])('is unknown where the link is dead', async (handler, words) => {
    const cdn = await serve(handler);
    const verdict = await say(await serve(always(200, { audio_url: `${cdn.origin}/a.mp3?sig=1` })), take);
    expect(verdict).toMatchObject(unknownFor(words));
    expect(JSON.stringify(verdict)).not.toContain('sig=1');
  });
});

describe('transcriptions and texts of the user', () => {
  it('come back as a transcript', async () => {
    const answer = { text: 'Hello', duration: 1.5, segments: [{ start: 0, end: 1.5, text: 'Hello' }], credits_used: 2 };
    const server = await serve(always(200, answer));
    expect(await clientOf(server.origin).send(TRANSCRIPTION, {})).toEqual({
      verdict: 'done',
      transcript: { text: 'Hello', segments: answer.segments },
      credits: 2,
    });
  });

  it('are not repeated in a failure, nor is the token', async () => {
    const server = await serve((request, response) => {
      const message = `Bad body ${request.body} with ${request.headers.authorization ?? ''} and ${TOKEN}`;
      always(400, { code: 'invalid_request', message })(request, response);
    });
    const api = clientOf(server.origin);
    for (const request of [SPEECH_JOB, TRANSCRIPTION]) {
      const verdict = JSON.stringify(await api.send(request, {}));
      expect(verdict).toContain('invalid_request');
      for (const secret of [TOKEN, 'quick brown fox', 'private/a.mp3', 'sig=1']) expect(verdict).not.toContain(secret);
    }
  });

  it('reads a compressed error body', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(422, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      Readable.from([gzipSync('{"code":"media_unusable","message":"no audio track"}')]).pipe(response);
    });
    expect(await clientOf(server.origin).send(TRANSCRIPTION, {})).toMatchObject({
      verdict: 'rejected',
      failure: { code: 'media_unusable' },
    });
  });
});
