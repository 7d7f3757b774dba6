import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { JobClock } from '../../threads/job-clock.ts';

const overdue: number[] = [];

const createClock = (): JobClock => new JobClock(1_000, (seconds) => overdue.push(seconds));

describe('JobClock', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    overdue.splice(0);
  });

  it('tells the first job that is past its deadline, and watches none from then on', () => {
    const clock = createClock();
    clock.open();
    clock.add(1, 30);
    clock.add(2, 5);
    jest.advanceTimersByTime(5_000);
    expect(overdue).toEqual([]);
    jest.advanceTimersByTime(1_000);
    expect([overdue, jest.getTimerCount()]).toEqual([[5], 0]);
  });

  it('counts from the moment that a job comes, and forgets those that have ended', () => {
    const clock = createClock();
    clock.open();
    clock.add(1, 10);
    jest.advanceTimersByTime(8_000);
    clock.add(2, 10);
    clock.remove(1);
    jest.advanceTimersByTime(10_000);
    expect(overdue).toEqual([]);
    clock.remove(2);
    jest.advanceTimersByTime(1_000);
    expect([overdue, jest.getTimerCount()]).toEqual([[], 0]);
  });

  it('does not count while the code of the thread is loading', () => {
    const clock = createClock();
    clock.add(1, 3);
    jest.advanceTimersByTime(60_000);
    clock.open();
    jest.advanceTimersByTime(3_000);
    expect(overdue).toEqual([]);
    jest.advanceTimersByTime(1_000);
    expect(overdue).toEqual([3]);
  });

  it('leaves no timer behind when it is stopped', () => {
    const clock = createClock();
    clock.add(1, 3);
    clock.stop();
    expect(jest.getTimerCount()).toBe(0);
  });
});
