/** @slow */
import { describe, expect, it } from '@jest/globals';
import { safeId } from '../../inputs/output-name.ts';
import { PROBLEM_CODES } from '../../contract/manifest-problems.ts';
import type { ProblemCode } from '../../contract/manifest-problems.ts';
import { BAD_MANIFESTS } from './bad-manifest-cases.ts';
import { BAD_JSON } from './bad-json-cases.ts';
import { BAD_JOINS } from './bad-join-cases.ts';
import { BAD_SAMPLES } from './bad-sample-cases.ts';
import { check } from './manifest-file.ts';

const ALL = [...BAD_MANIFESTS, ...BAD_SAMPLES, ...BAD_JOINS, ...BAD_JSON];

describe('checkManifest on bad manifests', () => {
  it.each(ALL.map((bad) => [bad.what, bad] as const))('%s', async (_, bad) => {
    const summary = await check(bad.content, bad.options, bad.file);
    expect(summary.problems.map(({ line, column, code }) => [line, column, code])).toEqual(bad.problems);
    for (const problem of summary.problems) {
      expect(problem.expected).not.toBe('');
      expect(problem.came).not.toBe('');
      expect(problem.came.length).toBeLessThan(250);
    }
  });

  it('covers every problem but those that need several files or a changing one, and those of voices and dialects', () => {
    const seen = new Set(ALL.flatMap(({ problems }) => problems.map(([, , code]) => code)));
    expect(Object.keys(PROBLEM_CODES).filter((code) => !seen.has(code as ProblemCode))).toEqual([
      'text-too-long',
      'part-id',
      'bad-voice-name',
      'unknown-voice',
      'ambiguous-voice',
      'not-in-dialect',
      'not-verifiable',
      'engine-misfit',
      'too-many-voices',
      'other-header',
      'changed',
    ]);
  });

  it('tells alike ids from equal ones where a template makes names of more than the id', async () => {
    const content = 'id,take,text,voice\nA,1,x,v\na,1,y,v\nA,2,z,v\na,3,z,v\n';
    const { problems } = await check(content, { nameTemplate: '{take}/{id}.{ext}' });
    expect(problems.map(({ line, code }) => [line, code])).toEqual([
      [3, 'duplicate-name'],
      [4, 'duplicate-id'],
      [5, 'duplicate-id'],
    ]);
  });

  it('names the file name that an id shares with another id', async () => {
    const name = safeId('L/77');
    const { problems } = await check(`id,text,voice\nL/77,x,v\n${name},y,v\nA,x,v\na,y,v\n`);
    expect(problems.map(({ line, code, expected }) => [line, code, expected])).toEqual([
      [3, 'duplicate-id', `an id with a file name of its own; line 2 has the same id, or the same file name "${name}"`],
      [5, 'duplicate-id', 'a unique id, ignoring case; line 4 has the same'],
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
    expect(problems.map(({ line, id, column }) => [line, id, column])).toEqual([
      [2, 'a', 'voice'],
      [5, 'b', 'audio'],
      [6, 'c', 'kind'],
      [7, 'a', 'id'],
      [10, '../d', 'text'],
      [10, '../d', 'voice'],
      [10, '../d', 'id'],
    ]);
    expect(problemCount).toBe(7);
    expect(rows).toBe(5);
  });

  it('names both lines of an id that is given twice', async () => {
    const { problems } = await check('id,text,voice\na,x,v\nb,x,v\na,y,v\n');
    expect(problems[0]).toMatchObject({ line: 4, id: 'a', expected: expect.stringContaining('line 2') });
  });

  it('keeps a thousand problems and counts the others', async () => {
    const { problems, problemCount } = await check(`text,voice\n${'x,\n'.repeat(2500)}`);
    expect(problems).toHaveLength(1000);
    expect(problemCount).toBe(2500);
  });

  it('reports what came before the place where reading had to stop', async () => {
    const { problems, digest } = await check('text,voice\nx,\ny,v\n"open,v\n');
    expect(problems.map(({ line, code }) => [line, code])).toEqual([
      [2, 'missing-cell'],
      [4, 'broken-quote'],
    ]);
    expect(digest).toBeNull();
  });

  it('says what each kind needs when it cannot tell', async () => {
    const { problems } = await check('text,voice,audio\na,v,https://a.example/1.mp3\n');
    expect(problems[0]?.expected).toContain('dub needs text, voice, video');
  });

  it('names the nearest column under --strict', async () => {
    const { problems } = await check('text,voice,Langauge\na,b,c\n', { strict: true });
    expect(problems[0]?.expected).toContain('the nearest is language');
  });
});
