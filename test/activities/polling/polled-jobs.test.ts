import { describe, expect, it } from '@jest/globals';
import { PolledJobs } from '../../../activities/polling/polled-jobs.ts';

const never = (): number => {
  throw new Error('it was polled before');
};

describe('the poll schedule', () => {
  it('has the first poll of a job that was never polled, and keeps it', () => {
    const polls = new PolledJobs();
    expect(polls.dueAt('a', () => 500)).toBe(500);
    expect(polls.dueAt('a', never)).toBe(500);
    polls.again('a', 900);
    expect(polls.dueAt('a', never)).toBe(900);
    expect(polls.dueAt('b', () => 7)).toBe(7);
  });

  it('counts polls that came to nothing by what was the trouble, until the job is forgotten', () => {
    const polls = new PolledJobs();
    expect(polls.countTrouble('a', 'result', 100)).toBe(1);
    polls.again('a', 200);
    expect(polls.countTrouble('a', 'result', 300)).toBe(2);
    expect(polls.countTrouble('a', 'read', 300)).toBe(1);
    expect(polls.dueAt('a', never)).toBe(300);
    expect(polls.countTrouble('b', 'result', 300)).toBe(1);
    polls.forget('a');
    expect(polls.dueAt('a', () => 7)).toBe(7);
    expect(polls.countTrouble('a', 'result', 400)).toBe(1);
  });

  it('forgets that a job could not be read once it was', () => {
    const polls = new PolledJobs();
    polls.wasRead('a');
    polls.countTrouble('a', 'read', 100);
    polls.countTrouble('a', 'result', 100);
    polls.wasRead('a');
    expect(polls.countTrouble('a', 'read', 200)).toBe(1);
    expect(polls.countTrouble('a', 'result', 200)).toBe(2);
  });

  it('tells once in which span of its age a job ended', () => {
    const polls = new PolledJobs();
    polls.ran('a', 1_000, 500);
    polls.countTrouble('a', 'read', 600);
    polls.ran('a', 3_000, 700);
    expect(polls.ended('a', 4_000)).toEqual([3_000, 4_000]);
    expect(polls.ended('a', 9_000)).toBeUndefined();
    expect(polls.dueAt('a', never)).toBe(700);
    expect(polls.ended('b', 4_000)).toEqual([0, 4_000]);
  });
});
