import { describe, expect, it } from '@jest/globals';
import { LookSchedule } from '../../activities/look-schedule.ts';

describe('LookSchedule', () => {
  it('has the first look of a job that was never looked at', () => {
    const looks = new LookSchedule();
    expect(looks.dueAt('a', 500)).toBe(500);
    looks.again('a', 900);
    expect(looks.dueAt('a', 500)).toBe(900);
    expect(looks.dueAt('b', 500)).toBe(500);
  });

  it('counts troubles over looks that came to nothing, until the job is forgotten', () => {
    const looks = new LookSchedule();
    expect(looks.troubled('a', 100)).toBe(1);
    looks.again('a', 200);
    expect(looks.troubled('a', 300)).toBe(2);
    expect(looks.dueAt('a', 0)).toBe(300);
    expect(looks.troubled('b', 300)).toBe(1);
    looks.forget('a');
    expect(looks.dueAt('a', 7)).toBe(7);
    expect(looks.troubled('a', 400)).toBe(1);
  });
});
