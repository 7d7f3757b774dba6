import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SUSPENDED_MS, type TimeLimits, Watch } from '../../api/time-limits.ts';
import { SEND_WITHIN_MS } from '../../policy/pacing/send-deadline.ts';

const LIMITS = { connectTimeoutMs: 1_000, headTimeoutMs: 5_000, totalTimeoutMs: 8_000, idleTimeoutMs: 2_000 };

describe('Watch', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  /** A watch, and what it was late with so far. */
  function watching(limits: TimeLimits = LIMITS): { watch: Watch; late: string[] } {
    const late: string[] = [];
    return { watch: new Watch(limits, (why) => late.push(why)), late };
  }

  /** It is late with this after so many ms, and not before. */
  function expectLate(late: readonly string[], ms: number, why: string): void {
    jest.advanceTimersByTime(ms - 1);
    expect(late).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(late).toEqual([why]);
  }

  it('ends each stage in its time', () => {
    const connecting = watching();
    const heading = watching();
    heading.watch.connected();
    const reading = watching();
    reading.watch.headersReceived();
    expectLate(connecting.late, 1_000, 'time-out: no connection within 1 s');
    expectLate(heading.late, 4_000, 'time-out: no answer within 5 s');
    expectLate(reading.late, 3_000, 'time-out: no whole answer within 8 s');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends a silence while somebody waits, however late it began', () => {
    const { watch, late } = watching();
    watch.headersReceived();
    watch.listen();
    jest.advanceTimersByTime(1_500);
    watch.listen();
    expectLate(late, 2_000, 'no byte of the answer came for 2 s');
  });

  it('lets a slow reader take its time, within the whole', () => {
    const { watch, late } = watching();
    watch.headersReceived();
    watch.listen();
    watch.pause();
    expectLate(late, 8_000, 'time-out: no whole answer within 8 s');
  });

  it('notices that the process stood still while the connection was made, whichever clock tells', () => {
    const limits = { ...LIMITS, connectTimeoutMs: 60_000, headTimeoutMs: 60_000, totalTimeoutMs: 60_000 };
    const [slow, woken, asleep] = [watching(limits).watch, watching(limits).watch, watching(limits).watch];
    jest.advanceTimersByTime(20_000);
    slow.connected();
    expect(slow.wasSuspended).toBe(false);
    jest.setSystemTime(Date.now() + 6_000);
    asleep.connected();
    expect(asleep.wasSuspended).toBe(true);
    // A timer that is late may come before the connection.
    jest.advanceTimersByTime(1_000);
    woken.connected();
    expect(woken.wasSuspended).toBe(true);
  });

  it('gives a body more time for what came of it', () => {
    const { watch, late } = watching({ ...LIMITS, idleTimeoutMs: 60_000, msPerKib: 1_000 });
    watch.headersReceived();
    jest.advanceTimersByTime(7_000);
    watch.received(3 * 1024);
    expectLate(late, 4_000, 'time-out: no whole answer within 11 s');
  });

  it('has the shorter limit where a later stage has less time than an earlier one', () => {
    const { late } = watching({ ...LIMITS, connectTimeoutMs: 60_000, headTimeoutMs: 300 });
    expectLate(late, 300, 'time-out: no connection within 0.3 s');
  });

  it('keeps one timer, and none after the end', () => {
    const { watch, late } = watching();
    for (let piece = 0; piece < 100; piece += 1) {
      watch.listen();
      expect(jest.getTimerCount()).toBe(1);
    }
    watch.stop();
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(60_000);
    expect(late).toEqual([]);
  });
});

it('a process that stood still is found after the same time by the client as by the last look before a send', () => {
  expect(SUSPENDED_MS).toBe(SEND_WITHIN_MS);
});
