import { describe, expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import { fetchFile, type FetchedFile, type FetchOptions } from '../../api/fetch-file.ts';
import { SYSTEM_NETWORK, type Network } from '../../api/network.ts';
import { always, serve } from '../support/api-server.ts';

const CSV = 'id,text,voice\na,One.,v\n';

/** A world of its own: this machine's address is a public one, and the next one is in a private network. */
const NETWORK: Network = { lookup: SYSTEM_NETWORK.lookup, isPrivate: (address) => address === '127.0.0.2' };

async function fetchText(
  url: string,
  more: Partial<FetchOptions> = {},
): Promise<{ readonly answer: FetchedFile; readonly got: readonly string[] }> {
  const got: string[] = [];
  const receive = async (body: Parameters<Parameters<typeof fetchFile>[1]>[0]): Promise<void> => {
    got.push(await text(body));
  };
  const options = { userAgent: 'voxbatch/test', network: NETWORK, pausesMs: [1, 1], ...more };
  return { answer: await fetchFile(url, receive, options), got };
}

/** Why it was not fetched. */
async function whyNot(url: string, more: Partial<FetchOptions> = {}): Promise<string> {
  const { answer } = await fetchText(url, more);
  return answer.type === 'failed' ? answer.why : answer.type;
}

describe('fetchFile', () => {
  it('hands on the file and its ETag, if there is one, and sends no token', async () => {
    const server = await serve(always(200, CSV, { etag: '"v1"' }));
    const { answer, got } = await fetchText(`${server.origin}/drop/lines.csv?sig=1`);
    expect({ answer, got }).toEqual({ answer: { type: 'fetched', etag: '"v1"' }, got: [CSV] });
    expect(server.seen).toMatchObject([{ method: 'GET', url: '/drop/lines.csv?sig=1' }]);
    expect(server.seen[0]?.headers).toMatchObject({ 'user-agent': 'voxbatch/test' });
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(server.seen[0]?.headers).not.toHaveProperty('cookie');
    const untagged = await serve(always(200, CSV));
    expect((await fetchText(untagged.origin)).answer).toEqual({ type: 'fetched', etag: null });
  });

  it('follows five redirects, and no more', async () => {
    const numbered = await serve((request, response) => {
      const left = Number(/\d+/.exec(request.url)?.[0]);
      if (left > 0) always(302, '', { location: `/${left - 1}` })(request, response);
      else always(200, CSV)(request, response);
    });
    expect((await fetchText(`${numbered.origin}/5`)).got).toEqual([CSV]);
    expect(await whyNot(`${numbered.origin}/6`)).toBe('it was redirected more than 5 times');
    expect(numbered.seen).toHaveLength(12);
  });

  it('does not go from a public host into a private network, and may begin in one', async () => {
    const inside = await serve(always(200, CSV));
    const asPrivate = `http://127.0.0.2:${inside.port}/secret`;
    const front = await serve(always(302, '', { location: asPrivate }));
    expect(await whyNot(front.origin)).toContain('private network');
    expect(inside.seen).toEqual([]);
    const network = { ...NETWORK, isPrivate: () => true };
    expect(await whyNot(front.origin, { network })).not.toContain('private network');
  });

  it.each([
    ['http://example.org/lines.csv', 'it is not https'],
    ['file:///etc/passwd', 'not an http(s) URL'],
    ['https://u:p@example.org/', 'not an http(s) URL'],
  ])('does not ask for %s', async (url, why) => {
    expect(await whyNot(url)).toContain(why);
  });

  it('does not follow a redirect from one scheme to plain http elsewhere', async () => {
    const server = await serve(always(301, '', { location: 'http://example.org/lines.csv' }));
    expect(await whyNot(server.origin)).toContain('redirected to http');
  });

  it('tries again where that may help, and hands on the whole file then', async () => {
    let asked = 0;
    const server = await serve((request, response) => {
      asked += 1;
      if (asked === 1) always(503, 'later')(request, response);
      else always(200, CSV)(request, response);
    });
    expect((await fetchText(server.origin)).got).toEqual([CSV]);
    expect(asked).toBe(2);
  });

  it.each([404, 401, 204, 206])('does not try a %d again', async (status) => {
    const server = await serve(always(status, ''));
    expect(await whyNot(server.origin)).toBe(`the server answered ${status}`);
    expect(server.seen).toHaveLength(1);
  });

  it('gives up in the end, and says why', async () => {
    const server = await serve(always(500, ''));
    expect(await whyNot(server.origin)).toBe('the server answered 500');
    expect(server.seen).toHaveLength(3);
  });

  it('takes no file above the limit, and none that breaks off', async () => {
    const large = await serve(always(200, CSV.repeat(100)));
    expect(await whyNot(large.origin, { maxBytes: 1_000 })).toBe('the answer is larger than 1000 bytes');
    expect(large.seen).toHaveLength(1);
    const cut = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(CSV, () => response.destroy());
    });
    expect(await whyNot(cut.origin)).toContain('broke off');
  });

  it('waits for an answer only so long', async () => {
    const silent = await serve(() => undefined);
    expect(await whyNot(silent.origin, { silenceMs: 100, pausesMs: [] })).toContain('no answer');
  });

  it('passes on trouble of this machine, such as a full disk', async () => {
    const server = await serve(always(200, CSV));
    const full = (): Promise<void> => Promise.reject(new Error('ENOSPC'));
    await expect(fetchFile(server.origin, full, { userAgent: 'x', network: NETWORK })).rejects.toThrow('ENOSPC');
  });
});
