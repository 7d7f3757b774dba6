import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Outbox } from '../../threads/outbox.ts';

/** Messages that were posted, by the jobs in each, and jobs that could not be. */
function createOutbox(): { outbox: Outbox; messages: unknown[][]; failed: number[] } {
  const [messages, failed]: [unknown[][], number[]] = [[], []];
  const outbox = new Outbox({
    post: (jobs) => {
      if (jobs.some(({ job }) => job === 'odd')) throw new Error('it could not be cloned');
      messages.push(jobs.map(({ job }) => job));
    },
    fail: (id) => {
      failed.push(id);
    },
  });
  return { outbox, messages, failed };
}

describe('Outbox', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  it('posts what comes in one turn together, in its order', () => {
    const { outbox, messages } = createOutbox();
    outbox.open();
    outbox.add({ id: 1, job: 'one' }, 0);
    outbox.add({ id: 2, job: 'two' }, 0);
    expect(messages).toEqual([]);
    jest.advanceTimersByTime(0);
    outbox.add({ id: 3, job: 'three' }, 0);
    jest.advanceTimersByTime(0);
    expect(messages).toEqual([['one', 'two'], ['three']]);
  });

  it('gathers until it is opened', () => {
    const { outbox, messages } = createOutbox();
    outbox.add({ id: 1, job: 'one' }, 0);
    outbox.add({ id: 2, job: 'two' }, 5);
    jest.advanceTimersByTime(100);
    expect(messages).toEqual([]);
    outbox.open();
    expect(messages).toEqual([['one', 'two']]);
  });

  it('posts a job with patience when that is over, or with one that has less', () => {
    const { outbox, messages } = createOutbox();
    outbox.open();
    outbox.add({ id: 1, job: 'patient' }, 8);
    outbox.add({ id: 2, job: 'less so' }, 5);
    outbox.add({ id: 3, job: 'more so' }, 20);
    jest.advanceTimersByTime(4);
    expect(messages).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(messages).toEqual([['patient', 'less so', 'more so']]);
    outbox.add({ id: 4, job: 'patient' }, 8);
    jest.advanceTimersByTime(2);
    outbox.add({ id: 5, job: 'urgent' }, 0);
    outbox.add({ id: 6, job: 'late' }, 8);
    jest.advanceTimersByTime(0);
    expect(messages.slice(1)).toEqual([['patient', 'urgent', 'late']]);
    jest.advanceTimersByTime(100);
    expect(messages).toHaveLength(2);
  });

  it('lets no job suffer for another that cannot be posted', () => {
    const { outbox, messages, failed } = createOutbox();
    outbox.open();
    outbox.add({ id: 1, job: 'one' }, 0);
    outbox.add({ id: 2, job: 'odd' }, 0);
    outbox.add({ id: 3, job: 'three' }, 0);
    jest.advanceTimersByTime(0);
    expect([messages, failed]).toEqual([[['one'], ['three']], [2]]);
    outbox.add({ id: 4, job: 'odd' }, 3);
    jest.advanceTimersByTime(3);
    expect(failed).toEqual([2, 4]);
  });

  it('posts nothing any more of what it was told to forget', () => {
    const { outbox, messages } = createOutbox();
    outbox.open();
    outbox.add({ id: 1, job: 'one' }, 0);
    outbox.add({ id: 2, job: 'two' }, 5);
    outbox.clear();
    jest.advanceTimersByTime(100);
    expect(messages).toEqual([]);
  });
});
