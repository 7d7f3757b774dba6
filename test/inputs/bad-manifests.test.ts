/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { ManifestOptions } from '../../inputs/manifest-options.ts';
import { safeId } from '../../inputs/output-name.ts';
import { PROBLEM_CODES } from '../../contract/manifest-problems.ts';
import { BAD_MANIFESTS } from './bad-manifest-cases.ts';
import { check, problemsIn } from './manifest-file.ts';

describe('checkManifest on bad manifests', () => {
  it.each(BAD_MANIFESTS)('%s', async (_, content, problems, options = {}) => {
    expect(await problemsIn(content, options)).toEqual(problems.split('; '));
  });

  it('covers every problem but those that need several files, a workbook or a changing one, and those of voices and dialects', () => {
    const seen = new Set(BAD_MANIFESTS.flatMap(([, , all]) => all.split('; ').map((one) => one.split(' ').at(-1))));
    expect(Object.keys(PROBLEM_CODES).filter((code) => !seen.has(code))).toEqual([
      ...['bad-cell', 'merged-cells'],
      ...[
        'bad-media',
        'text-too-long',
        'part-id',
        'bad-voice-name',
        'bad-cast',
        'unknown-voice',
        'ambiguous-voice',
        'not-in-dialect',
      ],
      ...['not-verifiable', 'engine-misfit', 'too-many-voices', 'other-header', 'changed'],
    ]);
  });

  it('tells alike ids from equal ones where a template makes names of more than the id', async () => {
    const content = 'id,take,text,voice\nA,1,x,v\na,1,y,v\nA,2,z,v\na,3,z,v\n';
    expect(await problemsIn(content, { nameTemplate: '{take}/{id}.{ext}' })).toEqual([
      expect.stringMatching(/^3 .*duplicate-name$/),
      '4 id duplicate-id',
      '5 id duplicate-id',
    ]);
  });

  it('lists all errors at once, with lines past quoted newlines, CR LF and lone CR', async () => {
    const content =
      'id,kind,text,voice,audio\r\n' + // 1
      'a,tts,"two\r\nlines",,\r\n' + // 2-3: no voice
      '\r\n' + // 4
      'b,stt,,,ftp://x/1\n' + // 5: bad URL
      'c,nope,x,v,\r' + // 6: bad kind
      'a,tts,"x\ry\nz",v,\n' + // 7-9: a again
      '../d,tts,,,\n'; // 10: id, text, voice
    const { problems, problemCount, rows } = await check(content);
    expect(problems.map(({ line, id, column }) => `${line} ${id} ${column}`)).toEqual([
      ...['2 a voice', '5 b audio', '6 c kind', '7 a id', '10 ../d text', '10 ../d voice', '10 ../d id'],
    ]);
    expect([problemCount, rows]).toEqual([7, 5]);
  });

  it.each<[string, string, string, Partial<ManifestOptions>?]>([
    ['both lines of an id', 'id,text,voice\na,x,v\nb,x,v\na,y,v\n', 'a unique id, ignoring case; line 2 has the same'],
    [
      'the file name that an id shares with another',
      `id,text,voice\nL/77,x,v\n${safeId('L/77')},y,v\n`,
      `an id with a file name of its own; line 2 has the same id, or the same file name "${safeId('L/77')}"`,
    ],
    ['what each kind needs', 'text,voice,audio\na,v,https://a.example/1.mp3\n', 'dub needs text, voice, video'],
    ['the nearest column', 'text,voice,Langauge\na,b,c\n', 'did you mean language?', { strict: true }],
  ])('names %s', async (_, content, words, options = {}) => {
    expect((await check(content, options)).problems[0]?.expected).toContain(words);
  });

  it('keeps a thousand problems and counts the others', async () => {
    const { problems, problemCount } = await check(`text,voice\n${'x,\n'.repeat(2500)}`);
    expect([problems.length, problemCount]).toEqual([1000, 2500]);
  });

  it('reports what came before the place where reading had to stop', async () => {
    const content = 'text,voice\nx,\ny,v\n"open,v\n';
    expect(await problemsIn(content)).toEqual(['2 voice missing-cell', '4 text broken-quote']);
    expect((await check(content)).digest).toBeNull();
  });
});
