import { describe, expect, it } from '@jest/globals';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import { checkFile, checkParts, type LongTextRun, type LongTextStage } from './check-long-text.ts';

const TEXTS = ['One. ', 'It fails. ', 'It is lost. ', 'Killed. '];
const ENDS = ['succeeded', 'failed', 'unknown', 'unknown'];

/** `charged`: the parts that were, by place. */
function stage(code: number, ends: readonly string[], charged: readonly number[]): LongTextStage {
  const charges = charged.map((at): LedgerEntry => {
    const idempotencyKey = `voxbatch-00000000-0000-0000-0000-000000000000-long-${String(at + 2)}-speech-1`;
    const given = { at: 0, operation: 'speech-job', jobId: 'j', credits: 1, requestId: 'r', answered: 'sent' } as const;
    return { ...given, idempotencyKey, text: TEXTS[at] ?? '' };
  });
  const parts = TEXTS.map((text, at) => ({ id: `book#${String(at + 1)}`, outcome: ends[at] ?? null, text }));
  return { code, parts, charges };
}

const ALL = ['succeeded', 'succeeded', 'succeeded', 'succeeded'];
const GOOD: LongTextRun = {
  ...{ text: TEXTS.join(''), fails: 'It fails', lost: 'It is lost', submits: 1 },
  first: stage(13, ENDS, [0, 1, 2]),
  second: stage(13, ['succeeded', 'succeeded', 'unknown', 'unknown'], [0, 1, 2, 1]),
  third: stage(0, ALL, [0, 1, 2, 1, 2, 3]),
};
const broken = (change: Partial<LongTextRun>): readonly string[] =>
  checkParts({ ...GOOD, ...change }).flatMap((finding) => (finding.broken.length > 0 ? finding.promise : []));

describe('the charges of a long text', () => {
  it('are as they should be', () => {
    expect(broken({})).toEqual([]);
  });

  it.each<[string, RegExp, Partial<LongTextRun>]>([
    ['of another text', /are the text/, { text: `${GOOD.text}More.` }],
    [
      'of a second part that failed',
      /only one that failed/,
      { first: stage(13, ['failed', ...ENDS.slice(1)], [0, 1, 2]) },
    ],
    ['of a lost part that is not unknown', /unknown, with no others/, { lost: 'nowhere' }],
    ['of more doubt than a kill leaves', /unknown, with no others/, { submits: 0 }],
    ['of a run that calls it done', /unknown, with no others/, { first: { ...GOOD.first, code: 0 } }],
    ['twice in the run', /no part twice/, { first: stage(13, ENDS, [0, 1, 2, 0]) }],
    ['of a lost part that never came', /no part twice/, { first: stage(13, ENDS, [0, 1]) }],
    ['of a redrive that sends another part', /redrive charges only/, { second: stage(13, ENDS, [0, 1, 2, 1, 2]) }],
    ['of a redrive that sends nothing', /redrive charges only/, { second: stage(13, ENDS, [0, 1, 2]) }],
    ['of a good part with --resubmit', /--resubmit charges only/, { third: stage(0, ALL, [0, 1, 2, 1, 2, 3, 0]) }],
    ['of a part without result in the end', /--resubmit charges only/, { third: stage(0, ENDS, [0, 1, 2, 1, 2, 3]) }],
  ])('%s', (_name, promise, change) => {
    expect(broken(change)).toContainEqual(expect.stringMatching(promise));
  });
});

describe('the file of a long text', () => {
  const good = {
    results: [{ id: 'book', _outcome: 'succeeded', _file: 'media/book.mp3' }],
    files: ['media/book.mp3'],
    heard: { seconds: 2.5, rms: 0.1, errors: 0 },
  };
  const found = (change: Partial<typeof good>): number => checkFile(GOOD, { ...good, ...change }).broken.length;

  it('is one, in one line, as long as its parts', () => {
    expect(checkFile(GOOD, good).broken).toEqual([]);
  });

  it.each<[string, Partial<typeof good>]>([
    ['too short', { heard: { ...good.heard, seconds: 2.4 } }],
    ['broken', { heard: { ...good.heard, errors: 1 } }],
    ['not alone', { files: ['media/book.mp3', 'media/book-1.mp3'] }],
    ['not named', { files: ['media/other.mp3'] }],
    ['not in a line', { results: [] }],
    ['in two lines', { results: [...good.results, ...good.results] }],
  ])('is %s', (_name, change) => {
    expect(found(change)).toBeGreaterThan(0);
  });
});
