import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { JobHints, UNHEARD_MS } from '../../../activities/webhooks/job-hints.ts';
import { ENOUGH_HINTS } from '../../../policy/webhooks/hint-trust.ts';

const GAP_MS = 3_000;
const NET_MS = 30_000;
/** Who waits for jobs. */
const LANE = {};

let now: number;
let listened: string[];
let forgotten: string[];
let hints: JobHints;

beforeEach(() => {
  jest.useFakeTimers();
  [now, listened, forgotten] = [0, [], []];
  hints = new JobHints(() => now);
  hints.listen({ listenFor: (id) => listened.push(id), forget: (id) => forgotten.push(id) });
});

function begin(...ids: readonly string[]): void {
  for (const id of ids) hints.track(id, LANE, 0, GAP_MS);
}
/** Begins to wait for these jobs, the first of which is the probe. */
function beginProbe(...ids: readonly string[]): void {
  begin('probe', ...ids);
  hints.skipPoll('probe', GAP_MS, net);
}

/** A job whose end was seen by a look is waited for no longer. */
function end(id: string): void {
  hints.foundEnded(id, hints.beginPoll(id));
  hints.forget(id, LANE);
}

const net = (fromMs: number): number => Math.max(NET_MS, 2 * fromMs);
const spare = (id: string, ageMs = GAP_MS): number | undefined => hints.skipPoll(id, ageMs, net);

/** Announces and ends as many jobs as make webhooks trusted. */
function earnTrust(): void {
  for (let job = 0; job < ENOUGH_HINTS; job++) {
    const id = `trust-${String(job)}`;
    begin(id);
    hints.receive([id]);
    end(id);
  }
}

describe('a webhook', () => {
  it('asks for a look at once, and wakes whoever waits', () => {
    begin('a');
    const wake = jest.fn();
    hints.onWake('a', wake);
    expect(hints.pollAt('a')).toBe(Infinity);
    now = 500;
    hints.receive(['a', 'unknown']);
    expect([hints.pollAt('a'), wake.mock.calls.length]).toEqual([500, 1]);
    expect([hints.beginPoll('a'), hints.pollAt('a'), hints.beginPoll('a')]).toEqual([true, Infinity, false]);
  });

  it('causes at most one look per gap, and none of them is lost', () => {
    begin('a');
    hints.receive(['a']);
    hints.beginPoll('a');
    expect(listened).toEqual(['a', 'a']);
    now = 100;
    for (let more = 0; more < 1_000; more++) hints.receive(['a']);
    expect(hints.pollAt('a')).toBe(GAP_MS);
  });

  it('means nothing for a job that nobody waits for', () => {
    hints.receive(['other']);
    expect(hints.pollAt('other')).toBe(Infinity);
    expect(hints.beginPoll('other')).toBe(false);
  });
});

describe('polls', () => {
  it('of one job show whether webhooks come at all; the others wait for them', () => {
    begin('probe', 'a', 'b');
    expect([spare('probe'), spare('a'), spare('b')]).toEqual([undefined, NET_MS, NET_MS]);
    expect(spare('probe', 2 * GAP_MS)).toBeUndefined();
  });

  it('are made by the safety net all the same', () => {
    beginProbe('a');
    expect(spare('a')).toBe(NET_MS);
    expect(spare('a', NET_MS)).toBeUndefined();
    expect(spare('a', NET_MS)).toBe(2 * NET_MS);
  });

  it('come back for all jobs a gap after one had ended without a webhook', () => {
    beginProbe('a', 'b');
    spare('a');
    const wake = jest.fn();
    hints.onWake('a', wake);
    end('probe');
    jest.advanceTimersByTime(GAP_MS);
    expect(hints.trust.state).toBe('doubted');
    expect(wake).toHaveBeenCalledTimes(1);
    expect(hints.pollAt('a')).toBeLessThan(GAP_MS);
    expect(spare('a')).toBeUndefined();
    earnTrust();
    expect(hints.trust.state).toBe('trusted');
    expect([spare('a'), spare('b')]).toEqual([undefined, NET_MS]);
  });

  it('do not come back if the webhook was only slower than the poll', () => {
    beginProbe();
    end('probe');
    jest.advanceTimersByTime(GAP_MS / 2);
    hints.receive(['probe']);
    jest.advanceTimersByTime(GAP_MS);
    expect(hints.trust.state).toBe('trial');
  });

  it('do not come back while a webhook may still be on its way from the process that received it', () => {
    hints.listen({ listenFor: (id) => listened.push(id), forget: (id) => forgotten.push(id), delayMs: 2 * GAP_MS });
    beginProbe();
    end('probe');
    jest.advanceTimersByTime(2.5 * GAP_MS);
    expect(hints.trust.state).toBe('trial');
    jest.advanceTimersByTime(GAP_MS);
    expect(hints.trust.state).toBe('doubted');
  });

  it('come back if the source that is listened to ends, not if another one does', () => {
    const nothing = (): void => undefined;
    const [first, second] = [
      { listenFor: nothing, forget: nothing },
      { listenFor: nothing, forget: nothing },
    ];
    hints.listen(first);
    hints.listen(second);
    beginProbe('a');
    hints.stop(first);
    expect(spare('a')).toBe(NET_MS);
    hints.stop(second);
    expect(spare('a')).toBeUndefined();
  });

  it('are made for a job whose webhook may have come before anybody listened, until it was seen running', () => {
    now = 1_000_000;
    beginProbe();
    hints.track('old', LANE, UNHEARD_MS + 1, GAP_MS);
    expect(spare('old')).toBeUndefined();
    hints.foundRunning('old');
    expect(spare('old')).toBe(NET_MS);
  });

  it('are made for a job that was accepted right before anybody listened', () => {
    now = 5_000;
    beginProbe('new');
    hints.track('before', LANE, 5_001, GAP_MS);
    expect([spare('new'), spare('before')]).toEqual([NET_MS, undefined]);
    // Its webhook may be lost, which says nothing of those to come.
    hints.foundEnded('before', hints.beginPoll('before'));
    jest.advanceTimersByTime(GAP_MS);
    expect(hints.trust.state).toBe('trial');
  });

  it('are made until an unreadable job was read, and its end is on record', () => {
    beginProbe('a');
    hints.pollFailed('a');
    expect(spare('a')).toBeUndefined();
    hints.foundRunning('a');
    expect(spare('a')).toBe(NET_MS);
    hints.foundEnded('a', true);
    expect(spare('a')).toBeUndefined();
  });

  it('are made for all jobs once nobody listens any more', () => {
    beginProbe('a');
    spare('a');
    hints.stop();
    expect(hints.pollAt('a')).toBeLessThan(GAP_MS);
    expect(spare('a')).toBeUndefined();
    expect(hints.isUsed).toBe(true);
  });

  it('are another job’s turn once a probe has run for long, and then not its own any more', () => {
    begin('stuck', 'a');
    spare('stuck');
    for (let poll = 0; poll < 4; poll++) hints.foundRunning('stuck');
    expect(spare('a')).toBeUndefined();
    expect(spare('stuck')).toBe(NET_MS);
  });

  it('of a probe that has run for long are ever further apart', () => {
    begin('probe');
    expect(spare('probe', 100 * GAP_MS)).toBeUndefined();
    hints.foundRunning('probe');
    expect(spare('probe', 101 * GAP_MS)).toBeCloseTo(125 * GAP_MS);
    expect(spare('probe', 125 * GAP_MS)).toBeUndefined();
  });

  it('are made once it is known how long such jobs take, though nobody knew when they were left out', () => {
    beginProbe('a');
    let netMs = 100 * NET_MS;
    const later = (): number => netMs;
    // Asked again long before the net, without a poll.
    expect(hints.skipPoll('a', GAP_MS, later)).toBe(11 * GAP_MS);
    expect(hints.skipPoll('a', 11 * GAP_MS, later)).toBe(21 * GAP_MS);
    netMs = NET_MS;
    expect(hints.skipPoll('a', 21 * GAP_MS, later)).toBeUndefined();
  });
});

describe('a job that is waited for no longer', () => {
  it('is not listened for, and is not a probe', () => {
    beginProbe('a');
    hints.forget('probe', LANE);
    expect(forgotten).toEqual(['probe']);
    // The next probe.
    expect(spare('a')).toBeUndefined();
  });

  it('is remembered for the later one of two that wait for it', () => {
    begin('a');
    const next = {};
    hints.track('a', next, 0, GAP_MS);
    hints.forget('a', LANE);
    hints.receive(['a']);
    expect([hints.pollAt('a'), forgotten]).toEqual([0, []]);
    hints.forget('a', next);
    expect([hints.pollAt('a'), forgotten]).toEqual([Infinity, ['a']]);
  });
});

it('without webhooks nothing is remembered', () => {
  const none = new JobHints();
  none.track('a', LANE, 0, GAP_MS);
  none.receive(['a']);
  const said = [none.isUsed, none.pollAt('a'), none.beginPoll('a'), none.skipPoll('a', 0, () => 1)];
  expect(said).toEqual([false, Infinity, false, undefined]);
});
