import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eachWord, keyOf } from '../../../policy/webhooks/mentions.ts';

function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}

const id = fc.oneof(
  fc.uuid(),
  fc.integer({ min: 1 }).map(String),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
  fc.stringMatching(/^[a-z]{1,8}:[A-Za-z0-9]{9,20}$/),
);

describe('ids in a text of unknown form', () => {
  it.each<readonly [string, (id: string) => string]>([
    ['JSON', (name) => JSON.stringify({ id: name })],
    ['nested JSON', (name) => JSON.stringify({ event: 'done', data: [{ task: { deep: [name] } }] }, null, 2)],
    ['JSON in JSON', (name) => JSON.stringify({ payload: JSON.stringify({ jobId: name }) })],
    ['a form', (name) => new URLSearchParams({ task_id: name, status: 'ok' }).toString()],
    ['words', (name) => `Job ${name}. Done!`],
    ['a path', (name) => `see /media/lip-sync/jobs/${name}?x=1`],
    ['nothing else', (name) => name],
  ])('are found in %s', (_, write) => {
    fc.assert(
      fc.property(id, (name) => {
        expect(wordsOf(write(name))).toContain(keyOf(name));
      }),
    );
  });

  it('are searched for by the longest part that every form keeps', () => {
    expect(keyOf('job:1f2e/3')).toBe('1f2e');
    expect(keyOf('::')).toBe('');
  });

  it('are not found where they are part of a longer word', () => {
    expect(wordsOf('{"id":"abc-123-more"}')).not.toContain('abc-123');
  });
});
