import { describe, expect, it } from '@jest/globals';
import { afterResult, type CheckedFile } from '../../../policy/rows/after-result.ts';

const FILE: CheckedFile & { readonly key: string } = { key: 'b/1-speech-1.mp3' };
const SILENT = { ...FILE, unfit: 'silent' };
const NO_RETAKES = { retakes: 0, control: 'running' } as const;

describe('a stored result', () => {
  it('ends the row where it is that of its last step, and leads to the next step elsewhere', () => {
    const ended = { effect: { outcome: 'succeeded', file: FILE } };
    expect(afterResult({ kind: 'tts' }, 'speech', FILE, NO_RETAKES)).toEqual(ended);
    expect(afterResult({ kind: 'dub' }, 'lip-sync', FILE, NO_RETAKES)).toEqual(ended);
    expect(afterResult({ kind: 'dub' }, 'speech', FILE, NO_RETAKES)).toEqual({ effect: { state: 'waiting' } });
  });

  it.each([
    ['tts', 'speech'],
    ['dub', 'speech'],
    ['dub', 'lip-sync'],
  ] as const)('that did not pass a check ends a %s at its %s, with the file and the reason', (kind, step) => {
    const { failure, effect } = afterResult({ kind }, step, SILENT, NO_RETAKES);
    expect(effect).toEqual({ outcome: 'unfit', failure, file: SILENT });
    expect(failure).toMatchObject({ class: 'Unfit', cause: 'result is silent' });
    expect(failure?.message).toContain(`The result of its ${step} is silent. It was paid for and is kept`);
  });

  it('that did not pass is made again if the user pays for that, unless the batch stops', () => {
    const after = (control: 'running' | 'stopping'): object =>
      afterResult({ kind: 'dub' }, 'speech', SILENT, { retakes: 2, control }).effect;
    const otherwise = { outcome: 'unfit', file: SILENT };
    expect(after('running')).toMatchObject({ retake: 'speech', reason: 'retake', most: 2, otherwise });
    expect(after('stopping')).toMatchObject(otherwise);
  });

  it('has a reason of the length that failures may have', () => {
    const { failure } = afterResult({ kind: 'tts' }, 'speech', { ...FILE, unfit: 'x'.repeat(600) }, NO_RETAKES);
    expect(failure?.message.length).toBe(500);
    expect(failure?.cause?.length).toBe(120);
  });
});
