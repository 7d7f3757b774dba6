import http from 'node:http';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { PaidRequest, Verdict } from '../../api/speech-api.ts';
import type { LocalFile, RowSpec } from '../../contract/row-kinds.ts';
import { readMultipart, type FormPart } from '../../simulator/routes/read-multipart.ts';
import { openLocalFile } from '../../store/local-file.ts';
import { clientOf, TOKEN } from '../support/api-server.ts';
import { sampleFolder, writeFileOf, writeSample } from '../support/samples.ts';

const servers: http.Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface SeenForm {
  readonly headers: http.IncomingHttpHeaders;
  readonly parts: readonly FormPart[] | null;
}

/** A server that reads each form whole, and what it saw. */
async function formServer(answer: (response: http.ServerResponse, request: http.IncomingMessage) => void): Promise<{
  readonly origin: string;
  readonly seen: SeenForm[];
}> {
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
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, seen };
}

function says(status: number, body: unknown): (response: http.ServerResponse) => void {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

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
    const extra = { enhance: true, note: 'plain' };
    const spec = {
      transcript: 'Hello\r\nthere',
      description: 'Warm',
      visibility: 'private',
      language: 'en, de',
      extra,
    };
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
    ['voiceId', 200, { voiceId: 'v1', name: 'Anna' }],
    ['id', 201, { id: 'v1' }],
    ['a voice', 200, { voice: { id: 'v1', name: 'Anna' } }],
    ['data', 201, { success: true, data: { voice: { voiceId: 'v1' } } }],
    ['the legacy alias', 200, { modelId: 'v1', title: 'Anna', message: 'Model created' }],
  ])('POST /voices: reads the id from %s', async (_, status, body) => {
    const { origin } = await formServer(says(status, body));
    const samples = [await writeSample(await sampleFolder(), 'a.wav')];
    expect(await clientOf(origin).send(voiceOf(samples), { openFile: openLocalFile })).toEqual({
      verdict: 'done',
      voiceId: 'v1',
    });
  });

  it('POST /voices: a success without an id may have made a voice', async () => {
    const { origin } = await formServer(says(200, { success: true }));
    const samples = [await writeSample(await sampleFolder(), 'a.wav')];
    expect(await clientOf(origin).send(voiceOf(samples), { openFile: openLocalFile })).toMatchObject({
      verdict: 'unknown',
    });
  });

  it.each([
    ['has changed', (path: string, content: Buffer) => writeFile(path, content.fill(1, 100, 200))],
    ['is shorter', (path: string, content: Buffer) => writeFile(path, content.subarray(1))],
    ['is longer', (path: string, content: Buffer) => writeFile(path, Buffer.concat([content, content]))],
  ])('POST /voices: sends nothing of a file that %s since its row was checked', async (_, change) => {
    const { origin, seen } = await formServer(says(201, { voiceId: 'v1' }));
    const folder = await sampleFolder();
    const sample = await writeFileOf(`${folder}/a.wav`, Buffer.alloc(1000), { extension: 'wav', seconds: 1 });
    await change(sample.path, Buffer.alloc(1000));
    expect(await clientOf(origin).send(voiceOf([sample]), { openFile: openLocalFile })).toMatchObject({
      verdict: 'rejected',
      failure: { class: 'BadRequest', message: expect.stringContaining('has changed since its row was checked') },
    });
    expect(seen).toEqual([]);
  });

  it('POST /voices: sends nothing for a file that is gone', async () => {
    const { origin, seen } = await formServer(says(201, { voiceId: 'v1' }));
    const sample = await writeSample(await sampleFolder(), 'a.wav');
    expect(
      await clientOf(origin).send(voiceOf([{ ...sample, path: `${sample.path}.gone` }]), { openFile: openLocalFile }),
    ).toMatchObject({
      verdict: 'rejected',
      failure: { message: expect.stringContaining('cannot be opened any more (ENOENT)') },
    });
    expect(seen).toEqual([]);
  });

  it.each(['EMFILE', 'EIO', 'ESTALE'])(
    'POST /voices: sends nothing where a file cannot be read now (%s), and may later',
    async (code) => {
      const { origin, seen } = await formServer(says(201, { voiceId: 'v1' }));
      const sample = await writeSample(await sampleFolder(), 'a.wav');
      const trouble = Object.assign(new Error(`${code}: trouble, open '/home/me/a.wav'`), { code, syscall: 'open' });
      const verdict = await clientOf(origin).send(voiceOf([sample]), { openFile: () => Promise.reject(trouble) });
      expect(verdict).toMatchObject({ verdict: 'not-accepted', failure: { class: 'NotSent' } });
      expect(JSON.stringify(verdict)).not.toContain('/home/me');
      expect(seen).toEqual([]);
    },
  );

  it('POST /voices: reads an answer that comes before the form has gone out, and gives the connection up', async () => {
    const refused = http.createServer((_request, response) => {
      says(413, { code: 'ERR_PAYLOAD_TOO_LARGE', message: 'Too large' })(response);
    });
    servers.push(refused);
    await new Promise<void>((resolve) => refused.listen(0, '127.0.0.1', resolve));
    const { port } = refused.address() as AddressInfo;
    const large = Buffer.alloc(20_000_000);
    const sample = await writeFileOf(`${await sampleFolder()}/a.wav`, large, { extension: 'wav', seconds: 1 });
    const api = clientOf(`http://127.0.0.1:${String(port)}`);
    const send = (): Promise<Verdict<unknown>> => api.send(voiceOf([sample]), { openFile: openLocalFile });
    let answer = await send();
    // A machine that takes long to open the recording does not send it then, and tries again.
    while (answer.verdict === 'not-accepted' && answer.failure.class === 'NotSent') answer = await send();
    expect(answer).toMatchObject({ verdict: 'rejected', failure: { class: 'BadRequest', status: 413 } });
  });

  it('POST /voices: is in doubt if the answer is lost', async () => {
    const { origin, seen } = await formServer((_response, request) => request.socket.destroy());
    const sample = await writeSample(await sampleFolder(), 'a.wav');
    expect(await clientOf(origin).send(voiceOf([sample]), { openFile: openLocalFile })).toMatchObject({
      verdict: 'unknown',
    });
    expect(seen).toHaveLength(1);
  });
});
