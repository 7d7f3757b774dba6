import http from 'node:http';
import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { PaidRequest, Verdict } from '../../api/speech-api.ts';
import type { LocalFile, RowSpec } from '../../contract/row-kinds.ts';
import { readMultipart, type FormPart } from '../../simulator/routes/read-multipart.ts';
import { openLocalFile } from '../../store/local-file.ts';
import { clientOf, listen, TOKEN } from '../support/api-server.ts';
import { sampleFolder, writeFileOf, writeSample } from '../support/samples.ts';

interface SeenForm {
  readonly headers: http.IncomingHttpHeaders;
  readonly parts: readonly FormPart[] | null;
}
type Answer = (response: http.ServerResponse, request: http.IncomingMessage) => void;

/** A server that reads each form whole, and what it saw. */
async function formServer(answer: Answer): Promise<{ readonly origin: string; readonly seen: SeenForm[] }> {
  const seen: SeenForm[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const parts = readMultipart(request.headers['content-type'] ?? '', Buffer.concat(chunks));
      seen.push({ headers: request.headers, parts });
      answer(response, request);
    });
  });
  return { origin: (await listen(server, [])).origin, seen };
}

const says =
  (status: number, body: unknown): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const send = (origin: string, samples: readonly LocalFile[], openFile = openLocalFile): Promise<Verdict<unknown>> =>
  clientOf(origin).send(voiceOf(samples), { openFile });

function voiceOf(samples: readonly LocalFile[], more: Partial<RowSpec> = {}): PaidRequest {
  const spec: RowSpec = { kind: 'voice', name: 'Anna', samples, extra: {}, ...more };
  return { operation: 'voice', spec, idempotencyKey: 'k1', isRepeat: false, trust503: true };
}

describe('POST /voices: a voice from recordings', () => {
  it('POST /voices: sends a form with every field and file, byte for byte, with its length', async () => {
    const folder = await sampleFolder();
    const large = Buffer.alloc(1_500_000, 7);
    large.write('RIFF');
    const samples = [
      await writeSample(folder, 'a "quoted" name.wav', 0.3),
      await writeFileOf(`${folder}/b.bin`, large, { extension: 'm4a', seconds: 3 }),
    ];
    const { origin, seen } = await formServer(says(201, { voiceId: 'v9', credits_used: 2000 }));
    const told = { description: 'Warm', visibility: 'private', language: 'en, de' };
    const spec = { ...told, transcript: 'Hello\r\nthere', extra: { enhance: true, note: 'plain' } };
    const verdict = await clientOf(origin).send(voiceOf(samples, spec), { openFile: openLocalFile });
    expect(verdict).toEqual({ verdict: 'done', voiceId: 'v9', credits: 2000 });
    const [form] = seen;
    const texts = form?.parts?.filter(({ fileName }) => fileName === undefined);
    expect(texts?.map(({ name, data }) => [name, data.toString('utf8')])).toEqual([
      ['name', 'Anna'],
      ['description', 'Warm'],
      ['visibility', 'private'],
      ['referenceText', 'Hello\r\nthere'],
      ['languages', '["en","de"]'],
      ['enhance', 'true'],
      ['note', 'plain'],
    ]);
    const files = form?.parts?.filter(({ fileName }) => fileName !== undefined) ?? [];
    expect(files.map(({ name, fileName }) => [name, fileName])).toEqual([
      ['audioFiles', 'sample-1.wav'],
      ['audioFiles', 'sample-2.m4a'],
    ]);
    expect(files[1]?.data.equals(large)).toBe(true);
    expect(Number(form?.headers['content-length'])).toBeGreaterThan(1_500_000);
    expect(form?.headers['transfer-encoding']).toBeUndefined();
    expect(form?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'idempotency-key': 'k1' });
  });

  it.each([
    ['has changed', (path: string, content: Buffer) => writeFile(path, content.fill(1, 100, 200)), 'has changed since'],
    ['is shorter', (path: string, content: Buffer) => writeFile(path, content.subarray(1)), 'has changed since'],
    ['is longer', (path: string) => writeFile(path, Buffer.alloc(2_000)), 'has changed since'],
    ['is gone', (path: string) => rm(path), 'cannot be opened any more (ENOENT)'],
  ])('POST /voices: sends nothing of a file that %s since its row was checked', async (_, change, words) => {
    const { origin, seen } = await formServer(says(201, { voiceId: 'v1' }));
    const path = `${await sampleFolder()}/a.wav`;
    const sample = await writeFileOf(path, Buffer.alloc(1000), { extension: 'wav', seconds: 1 });
    await change(path, Buffer.alloc(1000));
    expect(await send(origin, [sample])).toMatchObject({
      verdict: 'rejected',
      failure: { class: 'BadRequest', message: expect.stringContaining(words) },
    });
    expect(seen).toEqual([]);
  });

  it.each(['EMFILE', 'EIO', 'ESTALE'])(
    'POST /voices: sends nothing where a file cannot be read now (%s), and may later',
    async (code) => {
      const { origin, seen } = await formServer(says(201, { voiceId: 'v1' }));
      const sample = await writeSample(await sampleFolder(), 'a.wav');
      const trouble = Object.assign(new Error(`${code}: trouble, open '/home/me/a.wav'`), { code, syscall: 'open' });
      const verdict = await send(origin, [sample], () => Promise.reject(trouble));
      expect(verdict).toMatchObject({ verdict: 'not-accepted', failure: { class: 'NotSent' } });
      expect(JSON.stringify(verdict)).not.toContain('/home/me');
      expect(seen).toEqual([]);
    },
  );

  it('POST /voices: reads an answer that comes before the form has gone out, and gives the connection up', async () => {
    const refusing = http.createServer((request, response) => {
      says(413, { code: 'ERR_PAYLOAD_TOO_LARGE', message: 'Too large' })(response, request);
    });
    const { origin } = await listen(refusing, []);
    const large = Buffer.alloc(20_000_000);
    const sample = await writeFileOf(`${await sampleFolder()}/a.wav`, large, { extension: 'wav', seconds: 1 });
    let answer = await send(origin, [sample]);
    // A machine that takes long to open the recording does not send it then, and tries again.
    while (answer.verdict === 'not-accepted' && answer.failure.class === 'NotSent')
      answer = await send(origin, [sample]);
    expect(answer).toMatchObject({ verdict: 'rejected', failure: { class: 'BadRequest', status: 413 } });
  });

  it('POST /voices: is in doubt if the answer is lost', async () => {
    const { origin, seen } = await formServer((_response, request) => request.socket.destroy());
    const sample = await writeSample(await sampleFolder(), 'a.wav');
    expect(await send(origin, [sample])).toMatchObject({ verdict: 'unknown' });
    expect(seen).toHaveLength(1);
  });
});
