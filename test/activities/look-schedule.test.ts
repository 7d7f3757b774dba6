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
});
