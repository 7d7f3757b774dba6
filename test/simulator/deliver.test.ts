import { describe, expect, it } from '@jest/globals';
import type { FaultPlan } from '../../simulator/start-simulator.ts';
import { type Client, fetchWhole, jobIdIn, linkIn, openSimulator } from './with-simulator.ts';

const JOBS = '/speech/tts/jobs';
type Rule = NonNullable<FaultPlan['rules']>[number];

const openWith = (rule: Rule): Promise<Client> => openSimulator({ plan: { rules: [rule] } });

function speak({ call }: Client): ReturnType<Client['call']> {
  return call('POST', JOBS, { text: 'a line', voiceId: 'narrator' });
}

/** Charges and whether their answers were sent. */
const charges = ({ simulator }: Client): string[] => simulator.ledger().map(({ answered }) => answered);

describe('faults of a create', () => {
  it('answers 503 with a foreign body, or with none; gives Retry-After in seconds or as a date', async () => {
    const answered = async (fault: object): ReturnType<Client['call']> =>
      speak(await openWith({ on: 'create', fault: { kind: 'status', ...fault } }));
    expect((await answered({ status: 503, body: 'foreign' })).contentType).toContain('text/html');
    expect((await answered({ status: 503, body: 'empty' })).text).toBe('');
    expect((await answered({ status: 429, retryAfter: 7 })).headers.get('retry-after')).toBe('7');
    const dated = await answered({ status: 429, retryAfter: 60, retryAfterAs: 'date' });
    expect(Date.parse(dated.headers.get('retry-after') ?? '') - Date.now()).toBeGreaterThan(30_000);
  });

  it.each<[Rule['fault'], string[]]>([
    ['accept-then-500', ['lost']],
    [{ kind: 'status', status: 502, accepted: true }, ['lost']],
    [{ kind: 'html' }, []],
    [{ kind: 'html', accepted: true }, ['lost']],
    [{ kind: 'soft-error' }, []],
    [{ kind: 'late', ms: 5 }, ['sent']],
    ['job-fails', ['sent']],
  ])('%j leaves the charges %j', async (fault, expected) => {
    const client = await openWith({ on: 'create', fault });
    await speak(client);
    expect(charges(client)).toEqual(expected);
  });

  it.each<[Rule['fault'], string[]]>([
    ['reset-before', []],
    ['reset-after', ['lost']],
    ['cut', ['lost']],
    ['wrong-length', ['lost']],
  ])('%j breaks the connection and leaves the charges %j', async (fault, expected) => {
    const client = await openWith({ on: 'create', fault });
    await expect(speak(client)).rejects.toThrow();
    expect(charges(client)).toEqual(expected);
  });

  it.each([true, false])('hangs; accepted: %p', async (accepted) => {
    const client = await openWith({ on: 'create', fault: { kind: 'hang', accepted } });
    const gaveUp = new AbortController();
    const answer = fetch(client.simulator.url + JOBS, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.simulator.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'a line', voiceId: 'narrator' }),
      signal: gaveUp.signal,
    });
    answer.catch(() => undefined);
    // Another request that is answered shows that the first one, sent before it, has been dealt with.
    await client.call('GET', '/profile');
    while (accepted && charges(client).length === 0) await client.call('GET', '/profile');
    expect(charges(client)).toEqual(accepted ? ['lost'] : []);
    gaveUp.abort();
    await expect(answer).rejects.toThrow();
  });

  it('fails a job, sticks in one, and uses a word that nobody knows', async () => {
    const after = async (fault: Rule['fault']): Promise<string> => {
      const client = await openWith({ on: 'create', fault });
      const id = jobIdIn(await speak(client));
      return (await client.call('GET', `${JOBS}/${id}`)).text;
    };
    expect(await after({ kind: 'job-fails', message: 'No such luck' })).toContain('No such luck');
    expect(await after('job-stuck')).toContain('"processing"');
    const client = await openWith({ on: 'create', fault: { kind: 'unknown-status', word: 'brewing' } });
    expect((await speak(client)).text).toContain('brewing');
  });

  it('sends other things than media for synchronous speech', async () => {
    const { call, simulator } = await openWith({ on: 'create', fault: { kind: 'wrong-type', body: 'html' } });
    const reply = await call('POST', '/speech/tts', { text: 'a line', voiceId: 'narrator' });
    expect(reply.contentType).toBe('audio/mpeg');
    expect(reply.text).toContain('<html');
    expect(simulator.ledger()).toHaveLength(1);
  });
});

describe('faults of reads', () => {
  it.each<[Rule['on'], string]>([
    ['read', `${JOBS}/x`],
    ['list', '/media/lip-sync/jobs'],
    ['profile', '/profile'],
  ])('%s: an error, a page, a reset', async (on, path) => {
    const rules: Rule[] = [
      { on, fault: { kind: 'status', status: 500 }, times: 1 },
      { on, fault: 'html', times: 1 },
      { on, fault: 'soft-error', times: 1 },
      { on, fault: 'reset-before', times: 1 },
    ];
    const { call } = await openSimulator({ plan: { rules } });
    expect((await call('GET', path)).status).toBe(500);
    expect((await call('GET', path)).contentType).toContain('text/html');
    expect((await call('GET', path)).status).toBe(200);
    await expect(call('GET', path)).rejects.toThrow();
  });

  it('hides the end of a job behind an unknown word, once', async () => {
    const client = await openWith({ on: 'read', fault: 'unknown-status', times: 1 });
    const id = jobIdIn(await speak(client));
    const first = await client.call('GET', `${JOBS}/${id}`);
    expect(first.text).toContain('warming_up');
    expect(first.text).not.toContain('/results/');
    expect(linkIn(await client.call('GET', `${JOBS}/${id}`))).toContain(id);
  });
});

describe('faults of downloads', () => {
  async function download(fault: Rule['fault']): ReturnType<typeof fetchWhole> {
    const rule = { on: 'download', operation: 'speech-job', match: { text: 'a line' }, fault } as const;
    const client = await openWith(rule);
    const id = jobIdIn(await speak(client));
    return fetchWhole(linkIn(await client.call('GET', `${JOBS}/${id}`)));
  }

  it.each<Rule['fault']>(['cut', 'wrong-length', 'reset-before'])('%s does not arrive whole', async (fault) => {
    await expect(download(fault)).rejects.toThrow();
  });

  it('sends a page, an error, or other media under the name of media', async () => {
    const page = await download({ kind: 'wrong-type', body: 'html' });
    expect([page.status, page.contentType, page.text.startsWith('<!DOCTYPE')]).toEqual([200, 'audio/mpeg', true]);
    expect((await download({ kind: 'wrong-type', body: 'json' })).text).toContain('provider');
    expect((await download({ kind: 'wrong-type', body: 'other-media' })).text.slice(0, 4)).toBe('RIFF');
    expect((await download({ kind: 'wrong-type', body: 'endless' })).text).toContain('matroska');
    const silence = (await download({ kind: 'wrong-type', body: 'silence' })).text;
    expect([silence.slice(0, 4), /^\0+$/.test(silence.slice(44))]).toEqual(['RIFF', true]);
  });

  it('redirects a link to the file, and says that a link is dead', async () => {
    const file = await download('redirect');
    expect([file.status, file.contentType]).toEqual([200, 'audio/mpeg']);
    expect([403, 410]).toContain((await download('dead-link')).status);
  });
});
