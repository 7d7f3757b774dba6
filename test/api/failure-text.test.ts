import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRedact } from '../../api/failure-text.ts';
import { TOKEN } from '../support/api-server.ts';

const redact = createRedact(TOKEN);

/** Every form in which the token must not be found. */
const FORMS = [
  TOKEN,
  encodeURIComponent(TOKEN),
  Buffer.from(TOKEN).toString('base64'),
  Buffer.from(TOKEN).toString('base64url'),
  Buffer.from(`Bearer ${TOKEN}`).toString('base64'),
  TOKEN.replaceAll('/', '\\/'),
];

describe('createRedact', () => {
  it.each(FORMS)('takes out the token as %s', (form) => {
    expect(redact(`Invalid token ${form}, sorry`)).toBe('Invalid token ***, sorry');
  });

  it.each([
    ['other bearer tokens', 'Authorization: Bearer abc.def-ghi, then more', 'Authorization: Bearer ***, then more'],
    [
      'all of a link but its host',
      'see https://u:p@cdn.example/private/a.mp3?sig=1#x, or',
      'see https://cdn.example/… or',
    ],
    ['all of another link but its host', '"s3://bucket/key"', '"s3://bucket/…"'],
    ['a password with an @', 'https://user:p@ss@cdn.example/a wss://k:s@1@h?x=@y', 'https://cdn.example/… wss://h/…'],
  ])('takes out %s', (_, said, clean) => expect(redact(said)).toBe(clean));

  it('takes out what the user wrote, as far as it is echoed', () => {
    const privateTexts = ['My secret plan is to write a very long book about whales.'];
    expect(redact('text "My secret plan is to write a very lo..." is too long', { privateTexts })).toBe(
      'text "…..." is too long',
    );
    expect(redact('voice ok', { privateTexts: ['ok'] })).toBe('voice ok');
  });

  it('leaves no half of a link that begins as a private one', () => {
    const privateTexts = ['https://media.example/voices/1.mp3?signature=aaa'];
    const said =
      'neither https://media.example/voices/22.mp3?signature=abc nor https://media.example/voices/1.mp3?signature=aaa';
    expect(redact(said, { privateTexts })).toBe('neither https://media.example/… nor …');
  });

  it('keeps to one line and 500 characters', () => {
    expect(redact('a\r\n\u0007b\u2028c')).toBe('a b c');
    expect(redact('x'.repeat(600))).toHaveLength(500);
    expect(redact('x'.repeat(600), { maxLength: 100 })).toHaveLength(100);
  });

  it('takes no long time for long texts, and leaves no half of a token', () => {
    expect(redact('a.'.repeat(4_000_000))).toHaveLength(500);
    expect(redact(`https://${'x'.repeat(3_960)} ${TOKEN.repeat(50)}`)).not.toContain(TOKEN.slice(0, 8));
  });

  it('does not cut a character in two', () => {
    const clean = redact('😀'.repeat(300));
    expect(Buffer.from(clean).toString('utf8')).toBe(clean);
  });

  it('never lets the token through, wherever it stands', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...FORMS), fc.string(), (before, form, after) => {
        const clean = redact(before + form + after);
        for (const other of FORMS) expect(clean.toLowerCase()).not.toContain(other.toLowerCase());
        expect(clean.length).toBeLessThanOrEqual(500);
      }),
    );
  });
});
