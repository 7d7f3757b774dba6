import { describe, expect, it } from '@jest/globals';
import { afterResult, type CheckedFile } from '../../policy/after-result.ts';

const FILE: CheckedFile & { readonly key: string } = { key: 'b/1-speech-1.mp3' };
const SILENT = { ...FILE, unfit: 'silent' };

describe('a stored result', () => {
  it('ends the row where it is that of its last step, and leads to the next step elsewhere', () => {
    expect(afterResult('tts', 'speech', FILE)).toEqual({ effect: { outcome: 'succeeded', file: FILE } });
    expect(afterResult('dub', 'lip-sync', FILE)).toEqual({ effect: { outcome: 'succeeded', file: FILE } });
    expect(afterResult('dub', 'speech', FILE)).toEqual({ effect: { state: 'waiting' } });
  });

  it.each([
    ['tts', 'speech'],
    ['dub', 'speech'],
    ['dub', 'lip-sync'],
  ] as const)('that did not pass a check ends a %s at its %s, with the file and the reason', (kind, step) => {
    const { failure, effect } = afterResult(kind, step, SILENT);
    expect(effect).toEqual({ outcome: 'unfit', failure, file: SILENT });
    expect(failure).toMatchObject({ class: 'Unfit', cause: 'result is silent' });
    expect(failure?.message).toContain(`The result of its ${step} is silent. It was paid for and is kept`);
  });

  it('has a reason of the length that failures may have', () => {
    const { failure } = afterResult('tts', 'speech', { ...FILE, unfit: 'x'.repeat(600) });
    expect(failure?.message.length).toBe(500);
    expect(failure?.cause?.length).toBe(120);
  });
});
