import { createHash, randomBytes } from 'node:crypto';
import { symlink, rename, writeFile, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { KEY_BYTES } from '../../../store/local-media/link-seal.ts';
import { MediaChanged, type LinkedFile, type LocalMediaLinks } from '../../../store/local-media/media-links.ts';
import { MediaPortTaken, serveMedia } from '../../../store/local-media/serve-media.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { freePort } from '../../support/free-port.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { serveRaw } from '../../support/api-server.ts';

const KEY = randomBytes(KEY_BYTES);
const CONTENT = randomBytes(600_000);
const SIGNAL = new AbortController().signal;

async function fileIn(folder: string, content = CONTENT): Promise<LinkedFile> {
  const path = join(folder, 'video.mp4');
  await writeFile(path, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { path, bytes: content.length, sha256, extension: 'mp4', seconds: 1, name: `${sha256}.mp4` };
}

async function serve(port: number, key = KEY): Promise<LocalMediaLinks> {
  const links = await serveMedia({ host: '127.0.0.1', port, url: `http://127.0.0.1:${String(port)}` }, key);
  endAfterTest(() => links.close());
  return links;
}

async function place(): Promise<{ port: number; links: LocalMediaLinks; file: LinkedFile }> {
  const port = await freePort();
  return { port, links: await serve(port), file: await fileIn(freshFolder()) };
}

describe('a link to a local file', () => {
  it('gives the file with its type, length and tag, whole, in part, or only its head', async () => {
    const { links, file } = await place();
    await links.prepare(file, SIGNAL);
    const link = await links.linkTo(file, 60_000);
    const whole = await fetch(link);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': '600000',
      'accept-ranges': 'bytes',
      etag: `"${file.sha256}"`,
    });
    expect(Buffer.from(await whole.arrayBuffer()).equals(CONTENT)).toBe(true);
    const head = await fetch(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '600000', '']);
  });

  it.each([
    ['bytes=0-0', 206, 'bytes 0-0/600000', [0, 1]],
    ['bytes=300000-', 206, 'bytes 300000-599999/600000', [300_000, 600_000]],
    ['bytes=-5', 206, 'bytes 599995-599999/600000', [599_995, 600_000]],
    ['bytes=599999-700000', 206, 'bytes 599999-599999/600000', [599_999, 600_000]],
    ['bytes=600000-', 416, 'bytes */600000', null],
    ['bytes=-0', 416, 'bytes */600000', null],
    ['bytes=5-4', 200, null, [0, 600_000]],
    ['bytes=0-1,4-5', 200, null, [0, 600_000]],
    ['lines=1-2', 200, null, [0, 600_000]],
  ])('answers the range %s with %d', async (range, status, contentRange, part) => {
    const { links, file } = await place();
    const answer = await fetch(await links.linkTo(file, 60_000), { headers: { range } });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange]);
    const body = Buffer.from(await answer.arrayBuffer());
    if (part !== null) expect(body.equals(CONTENT.subarray(...part))).toBe(true);
  });

  it('gives nothing to a link that was changed, made with another key, or has expired', async () => {
    const { links, file, port } = await place();
    const link = new URL(await links.linkTo(file, 60_000));
    const other = await fileIn(freshFolder(), Buffer.from('other'));
    const swapped = new URL(link);
    swapped.pathname = `/${other.name}`;
    const bare = new URL(link);
    bare.search = '';
    const changed = new URL(link.href.slice(0, -4) + 'AAAA');
    const foreign = new URL(await (await serve(await freePort(), randomBytes(KEY_BYTES))).linkTo(file, 60_000));
    foreign.port = String(port);
    for (const url of [swapped, bare, changed, foreign, new URL(`/etc/passwd`, link)])
      expect((await fetch(url)).status).toBe(404);
    expect((await fetch(await links.linkTo(file, -1))).status).toBe(410);
    expect((await fetch(link, { method: 'POST' })).status).toBe(405);
  });

  it('gives nothing once the file has other content, although it was read before, or lies behind a symbolic link', async () => {
    const { links, file } = await place();
    const link = await links.linkTo(file, 60_000);
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    await writeFile(file.path, randomBytes(CONTENT.length));
    expect((await fetch(link)).status).toBe(404);
    await expect(links.prepare(file, SIGNAL)).rejects.toThrow('has changed since its row was checked');
    await writeFile(file.path, CONTENT);
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    await rename(file.path, `${file.path}.moved`);
    await symlink(`${file.path}.moved`, file.path);
    expect((await fetch(link)).status).toBe(404);
    await expect(links.prepare(file, SIGNAL)).rejects.toBeInstanceOf(MediaChanged);
  });

  it('breaks off when the file changes while it is sent: no service takes it for whole', async () => {
    const { links, file } = await place();
    const large = await fileIn(freshFolder(), randomBytes(24 * 1024 * 1024));
    const answer = await fetch(await links.linkTo(large, 60_000));
    const reader = answer.body?.getReader();
    await reader?.read();
    await appendFile(large.path, 'x');
    const drain = async (): Promise<void> => {
      while ((await reader?.read())?.done === false);
    };
    await expect(drain()).rejects.toThrow();
    expect((await fetch(await links.linkTo(file, 60_000), { method: 'HEAD' })).status).toBe(200);
  });

  it('outlives its process: another with the same key answers it, and takes the port over', async () => {
    const { links, file, port } = await place();
    const second = await serve(port);
    const link = await second.linkTo(file, 60_000);
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    await links.close();
    await waitFor(async () => (await fetch(link, { method: 'HEAD' }).catch(() => undefined))?.status === 200);
  });

  it('is not made where another program has the port', async () => {
    const { port } = await serveRaw((socket) => socket.end('hello'));
    await expect(serve(port)).rejects.toBeInstanceOf(MediaPortTaken);
  });
});
