import { describe, expect, it } from '@jest/globals';
import { LookSchedule } from '../../activities/look-schedule.ts';

const never = (): number => {
  throw new Error('it was looked at before');
};

describe('LookSchedule', () => {
  it('has the first look of a job that was never looked at, and keeps it', () => {
    const looks = new LookSchedule();
    expect(looks.dueAt('a', () => 500)).toBe(500);
    expect(looks.dueAt('a', never)).toBe(500);
    looks.again('a', 900);
    expect(looks.dueAt('a', never)).toBe(900);
    expect(looks.dueAt('b', () => 7)).toBe(7);
  });

  it('counts looks that came to nothing by what was the trouble, until the job is forgotten', () => {
    const looks = new LookSchedule();
    expect(looks.troubled('a', 'result', 100)).toBe(1);
    looks.again('a', 200);
    expect(looks.troubled('a', 'result', 300)).toBe(2);
    expect(looks.troubled('a', 'read', 300)).toBe(1);
    expect(looks.dueAt('a', never)).toBe(300);
    expect(looks.troubled('b', 'result', 300)).toBe(1);
    looks.forget('a');
    expect(looks.dueAt('a', () => 7)).toBe(7);
    expect(looks.troubled('a', 'result', 400)).toBe(1);
  });

  it('forgets that a job could not be read once it was', () => {
    const looks = new LookSchedule();
    looks.wasRead('a');
    looks.troubled('a', 'read', 100);
    looks.troubled('a', 'result', 100);
    looks.wasRead('a');
    expect(looks.troubled('a', 'read', 200)).toBe(1);
    expect(looks.troubled('a', 'result', 200)).toBe(2);
  });

  it('tells once in which span of its age a job ended', () => {
    const looks = new LookSchedule();
    looks.ran('a', 1_000, 500);
    looks.troubled('a', 'read', 600);
    looks.ran('a', 3_000, 700);
    expect(looks.ended('a', 4_000)).toEqual([3_000, 4_000]);
    expect(looks.ended('a', 9_000)).toBeUndefined();
    expect(looks.dueAt('a', never)).toBe(700);
    expect(looks.ended('b', 4_000)).toEqual([0, 4_000]);
  });

  it('adds up the looks that jobs were spared, once each was read', () => {
    const looks = new LookSchedule();
    for (const job of ['a', 'b']) looks.dueAt(job, () => 0);
    for (const job of ['a', 'a', 'b']) looks.wasRead(job);
    looks.spared('a', 5);
    expect(looks.saved).toBe(3);
    // One look too many.
    looks.spared('b', 0);
    expect(looks.saved).toBe(2);
    looks.spared('never seen', 4);
    expect(looks.saved).toBe(2);
  });

  it('counts looks in a row that found the service in trouble', () => {
    const looks = new LookSchedule();
    looks.dueAt('a', () => 0);
    expect([looks.failed('a'), looks.failed('a')]).toEqual([1, 2]);
    looks.wasRead('a');
    expect(looks.failed('a')).toBe(1);
  });

  it('knows how many rows of a batch are left once nothing of it is sent any more', () => {
    const looks = new LookSchedule();
    looks.left('b', 7);
    expect(looks.rowsLeft('b')).toBe(7);
    looks.left('b', undefined);
    expect(looks.rowsLeft('b')).toBeUndefined();
  });
});
