import { describe, expect, it } from '@jest/globals';
import { type Job, JobBook, phaseOf, progressOf } from '../../simulator/jobs.ts';
import { speechOf } from '../../simulator/media-result.ts';

function jobWith(changes: Partial<Job>): Job {
  return {
    id: 'a',
    operation: 'speech-job',
    requestId: 'req_a',
    createdAt: 1000,
    startsAt: 1100,
    finishesAt: 1500,
    failure: null,
    credits: 1,
    result: { file: 'a.mp3', format: 'mp3', operation: 'speech-job', subject: 'x', sound: speechOf('x', 'v', 'mp3') },
    ...changes,
  };
}

describe('a job', () => {
  it.each([
    [1000, 'waiting', 0],
    [1100, 'processing', 0],
    [1300, 'processing', 50],
    [1500, 'done', 100],
    [9000, 'done', 100],
  ])('is, at %d, %s and %d percent done', (now, phase, progress) => {
    expect([phaseOf(jobWith({}), now), progressOf(jobWith({}), now)]).toEqual([phase, progress]);
  });

  it('fails, or sticks, for good', () => {
    expect(phaseOf(jobWith({ failure: 'why' }), 1499)).toBe('processing');
    expect(phaseOf(jobWith({ failure: 'why' }), 1500)).toBe('failed');
    expect(phaseOf(jobWith({ finishesAt: Infinity }), 1e15)).toBe('processing');
  });
});

describe('JobBook', () => {
  it('finds a job under its own operation only', () => {
    const book = new JobBook();
    book.add(jobWith({}));
    expect(book.find('speech-job', 'a')?.id).toBe('a');
    expect(book.find('lip-sync-job', 'a')).toBeUndefined();
  });

  it('counts what is unfinished', () => {
    const book = new JobBook();
    book.add(jobWith({}));
    book.add(jobWith({ id: 'b', finishesAt: Infinity }));
    const leave = book.beginSynchronous();
    expect(book.countUnfinished(1200)).toBe(3);
    leave();
    expect(book.countUnfinished(1500)).toBe(1);
  });

  it('hastens what runs, but for a stuck job, and makes none later', () => {
    const book = new JobBook();
    const [long, soon, stuck] = [
      jobWith({ id: 'long', startsAt: 5000, finishesAt: 9000 }),
      jobWith({ id: 'soon', startsAt: 1100, finishesAt: 1500 }),
      jobWith({ id: 'stuck', finishesAt: Infinity }),
    ];
    for (const job of [long, soon, stuck]) book.add(job);
    book.hasten(1200, 400);
    expect([long, soon, stuck].map((job) => phaseOf(job, 1300))).toEqual(['processing', 'processing', 'processing']);
    expect([long, soon, stuck].map((job) => phaseOf(job, 1500))).toEqual(['processing', 'done', 'processing']);
    expect([long, soon, stuck].map((job) => phaseOf(job, 1600))).toEqual(['done', 'done', 'processing']);
  });
});
