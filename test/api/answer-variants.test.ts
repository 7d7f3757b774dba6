import { readdirSync, readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ApiError, type PaidRequest, type SpeechApi } from '../../api/speech-api.ts';
import type { Dialect } from '../../contract/dialects.ts';
import { clientOf, LIP_SYNC, serve, SPEECH_JOB, SPEECH_SYNC, TOKEN, TRANSCRIPTION } from '../support/api-server.ts';
import { bytesOf, openRiff } from './bodies.ts';

/*
 * Every answer that the service is known to give, or said to give, as a file of test/api/fixtures: what it sends, and how
 * the client reads it. A call is one of the client, so a fixture goes through all of it, from the socket on.
 */

interface Answer {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  /** The body: JSON, a text, or media of this format. `{origin}` stands for the server's own. */
  readonly body?: unknown;
  readonly text?: string;
  readonly media?: keyof typeof MEDIA;
  /** The body ends before its length is reached. */
  readonly cut?: boolean;
}

interface Fixture {
  readonly call: keyof typeof CALLS;
  /** Default: the current paths. */
  readonly dialect?: Dialect;
  readonly variants: readonly { readonly name: string; readonly answer: Answer; readonly reading: unknown }[];
}

const MEDIA = {
  mp3: Buffer.concat([Buffer.from('ID3\u0004\u0000\u0000', 'latin1'), Buffer.alloc(2_000, 0x55)]),
  wav: Buffer.concat([Buffer.from('RIFF\u0000\u0010\u0000\u0000WAVEfmt ', 'latin1'), Buffer.alloc(2_000)]),
};

const SAMPLE = { path: 'a.wav', bytes: 4, sha256: '', extension: 'wav', seconds: 1 };
const VOICE: PaidRequest = {
  ...SPEECH_JOB,
  operation: 'voice',
  spec: { kind: 'voice', name: 'Ada', samples: [SAMPLE], extra: {} },
};

const CALLS = {
  profile: async (api: SpeechApi) => {
    const { members, serverTimeMs, ...profile } = await api.readProfile();
    expect([typeof members, typeof serverTimeMs]).toEqual(['object', 'number']);
    return profile;
  },
  'set-profile': async (api: SpeechApi) => {
    await api.updateProfile({ webhookUrl: 'https://hooks.example/a' });
    return { type: 'done' };
  },
  voices: async (api: SpeechApi) => {
    const voices = [];
    for await (const voice of api.listVoices()) voices.push(voice);
    return { voices };
  },
  'delete-voice': async (api: SpeechApi) => ({ type: await api.deleteVoice('v1') }),
  'create-voice': (api: SpeechApi) => api.send(VOICE, { openFile: openRiff }),
  'speech-job': (api: SpeechApi) => api.send(SPEECH_JOB, {}),
  'read-speech-job': (api: SpeechApi) => api.readJob('speech-job', 't1'),
  'speech-sync': (api: SpeechApi) =>
    api.send(SPEECH_SYNC, { receive: async (body) => (await bytesOf(body)).length > 1_000 }),
  transcription: (api: SpeechApi) => api.send(TRANSCRIPTION, {}),
  'lip-sync': (api: SpeechApi) => api.send(LIP_SYNC, {}),
  'read-lip-sync': (api: SpeechApi) => api.readJob('lip-sync-job', 't1'),
  'list-lip-sync': (api: SpeechApi) => api.listJobs('lip-sync-job', 1, 2),
} satisfies Record<string, (api: SpeechApi) => Promise<object>>;

const FOLDER = join(import.meta.dirname, 'fixtures');
const fixtures = readdirSync(FOLDER).map((file) => ({
  file,
  ...(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Fixture),
}));

/** A server that gives the answer to every request, and at `/files/` the speech that a link leads to. */
async function serveAnswer({ status, headers = {}, body, text, media, cut }: Answer): Promise<string> {
  const server = await serve((request, response) => {
    if (request.url.startsWith('/files/')) {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(MEDIA.mp3);
      return;
    }
    if (request.url === '/gone') {
      response.writeHead(404).end();
      return;
    }
    const words = (text ?? JSON.stringify(body ?? '')).replaceAll('{origin}', server.origin);
    const bytes = media === undefined ? Buffer.from(words) : MEDIA[media];
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    response.writeHead(status, {
      ...type,
      ...(status === 204 ? {} : { 'content-length': bytes.length + (cut === true ? 9 : 0) }),
      ...headers,
    });
    if (cut === true) response.write(bytes, () => response.destroy());
    else response.end(bytes);
  });
  return server.origin;
}

/** What a call brings; of a failure only what somebody acts on. Nothing of it may have the token. */
async function readingOf(call: keyof typeof CALLS, api: SpeechApi): Promise<object> {
  const brought: object = await CALLS[call](api).catch((error: unknown) => {
    if (error instanceof ApiError) return { failure: error.failure };
    throw error;
  });
  expect(JSON.stringify(brought)).not.toContain(TOKEN);
  if (!('failure' in brought)) return brought;
  const { message, cause, ...failure } = brought.failure as Record<string, unknown>;
  expect([typeof message, typeof cause]).toEqual(['string', 'string']);
  return { ...brought, failure };
}

describe.each(fixtures)('$file', ({ call, dialect = 'v1', variants }) => {
  it.each(variants)('$name', async ({ answer, reading }) => {
    const origin = await serveAnswer(answer);
    const expected: unknown = JSON.parse(JSON.stringify(reading).replaceAll('{origin}', origin));
    expect(await readingOf(call, clientOf(origin, { dialect }))).toEqual(expected);
  });
});

it('the fixtures have every call, in each dialect that has it', () => {
  const seen = new Set(fixtures.map(({ call, dialect = 'v1' }) => `${dialect} ${call}`));
  const ofVoices = ['voices', 'create-voice', 'delete-voice'];
  const older = ['profile', ...ofVoices, 'speech-sync', 'lip-sync', 'read-lip-sync', 'list-lip-sync'];
  const all = [...Object.keys(CALLS).map((call) => `v1 ${call}`), ...older.map((call) => `legacy ${call}`)];
  expect([...seen].sort()).toEqual(all.sort());
});
