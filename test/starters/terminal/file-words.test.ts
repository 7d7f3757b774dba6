import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FilesMade } from '../../../results/write-out-folder.ts';
import { damageLines, showFilesMade } from '../../../starters/terminal/file-words.ts';
import type { ProgressForm } from '../../../starters/terminal/output.ts';
import { capture } from '../command-line.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

const said = { out: '', err: '' };

/** What is said while two files are joined and three finished, each of which takes so many seconds. */
async function sayings(seconds: number, progress: ProgressForm = 'plain'): Promise<readonly string[]> {
  said.err = '';
  const steps: readonly FilesMade[] = [
    ...[0, 1, 2].map((done) => ({ step: 'join', done, all: 2 }) as const),
    ...[0, 1, 2, 3].map((done) => ({ step: 'finish', done, all: 3 }) as const),
  ];
  const made = await showFilesMade({ ...capture(said), progress }, async (onFilesMade) => {
    for (const step of steps) {
      if (step.done > 0) await jest.advanceTimersByTimeAsync(seconds * 1_000);
      onFilesMade(step);
    }
    return 'all';
  });
  expect(made).toBe('all');
  return said.err.split('\n').slice(0, -1);
}

describe('the progress of files that are joined and finished', () => {
  it('is told every few seconds, and at the end', async () => {
    expect(await sayings(4)).toEqual([
      'joining files: 0/2 done',
      'joining files: 1/2 done',
      'finishing files: 0/3 done',
      'finishing files: 2/3 done',
      'finishing files: 3/3 done',
    ]);
  });

  it('is told of a single file that takes long', async () => {
    expect((await sayings(60)).slice(0, 2)).toEqual(['joining files: 0/2 done', 'joining files: 1/2 done']);
  });

  it('is not told of files that are made at once, and never with --quiet', async () => {
    expect(await sayings(0.3)).toEqual([]);
    expect(await sayings(60, 'none')).toEqual([]);
  });

  it('is told up to where making them failed', async () => {
    said.err = '';
    const failing = showFilesMade(capture(said), async (onFilesMade) => {
      onFilesMade({ step: 'finish', done: 1, all: 3 });
      await jest.advanceTimersByTimeAsync(3_000);
      throw new Error('no room');
    });
    await expect(failing).rejects.toThrow('no room');
    expect(said.err).toBe('finishing files: 1/3 done\n');
  });
});

it('what a bucket refuses is called that, beside what it has lost', () => {
  const place = { batch: 'b', store: 's3://media/x' };
  const archived = { row: 1, id: 'a', is: 'archived' } as const;
  const [alone = ''] = damageLines([archived], place);
  expect(alone).toContain('is archived in the store, s3://media/x.');
  const [both = ''] = damageLines([archived, { row: 2, id: 'b', is: 'missing' }], place);
  expect(both).toContain('are archived or missing or damaged in the store, s3://media/x.');
});
