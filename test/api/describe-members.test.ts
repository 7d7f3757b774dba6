import { describe, expect, it } from '@jest/globals';
import { describeMembers } from '../../api/read-paid-job.ts';
import { createRedact } from '../../api/failure-text.ts';
import { TOKEN } from '../support/api-server.ts';

const redact = createRedact(TOKEN);

function described(json: unknown, privateTexts: readonly string[] = []): string {
  return describeMembers(json, redact, privateTexts);
}

describe('describeMembers', () => {
  const DATA = { id: 'j1', progress: 100, ok: true, error: null, tags: ['a', 'b'], meta: { by: 'x' } };
  const LISTS = {
    clips: [{ href: 'https://cdn.example/v.mp4' }, {}],
    links: ['https://cdn.example/w.mp4'],
    tags: ['a'],
  };
  const LINK = { note: 'n'.repeat(100), movieUrl: 'https://cdn.example/private/v.mp4?sig=abc' };

  it.each([
    [
      'names each member by its place, with its value',
      { success: true, data: DATA },
      'success true, data.id "j1", data.progress 100, data.ok true, data.error null, data.tags [2], data.meta.by "x"',
    ],
    [
      'leaves the host of a link, which comes first, and cuts long values',
      LINK,
      `movieUrl "https://cdn.example/…", note "${'n'.repeat(39)}…"`,
    ],
    [
      'looks into the first item of a list',
      { ...LISTS, no: [] },
      'clips.0.href "https://cdn.example/…", links.0 "https://cdn.example/…", tags [1], no [0]',
    ],
  ])('%s', (_, json, words) => expect(described(json)).toBe(words));

  it('has no token, no private text, no other secret and no control character, in names neither', () => {
    const text = 'The quick brown fox jumps over the lazy dog.';
    const json = { [`a${TOKEN}`]: 1, b: TOKEN, c: text, accessToken: 'hush', 'd\u001B[31m': 'e\u001B[0m\n\u0007f' };
    const words = described(json, [text]);
    for (const secret of [TOKEN, 'fox', 'hush']) expect(words).not.toContain(secret);
    expect(words).not.toMatch(/\p{Cc}/u);
  });

  it.each([
    ['many members', Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`member${String(at)}`, 'v']))],
    ['deep ones', { a: { b: { c: { d: { e: 'x'.repeat(10_000) } } } } }],
    ['long names', { ['n'.repeat(100_000)]: '😀'.repeat(1_000) }],
    ['no object', [1, 2]],
    ['nothing', undefined],
  ])('is short for %s', (_name, json) => {
    expect(described(json).length).toBeLessThanOrEqual(240);
    expect(Buffer.from(described(json)).toString()).toBe(described(json));
  });
});
