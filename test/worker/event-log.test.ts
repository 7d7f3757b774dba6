import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { LOG_EVENTS } from '../../contract/log-events.ts';
import type { WorkEvent } from '../../contract/work-events.ts';
import { logEvents } from '../../worker/event-log.ts';

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** The lines of these events, in a log that has all of them. */
function linesOf(...events: readonly WorkEvent[]): readonly Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const log = logEvents(
    pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) }),
  );
  for (const event of events) log(event);
  return lines;
}

const batch = { type: 'batch', batch: 'b', workflowId: 'w' } as const;
const occurrence = { type: 'occurrence', schedule: 's', at: '2026-01-01T00:00:00.000Z', batch: 's-1' } as const;
const row = { type: 'row', batch: 'b', row: 7, id: 'a7', lane: 1, take: 1 } as const;
const key = { batch: 'b', row: 7, step: 'speech', take: 1, attempt: 1 } as const;

/** Events with the level that each must have. */
const SAMPLES: readonly (readonly [string, WorkEvent])[] = [
  ['info', { ...batch, is: 'start', by: 'ann', byType: 'person' }],
  ['info', { ...batch, is: 'pause', by: 'ann', byType: 'person' }],
  ['warn', { ...batch, is: 'pause', by: 'voxbatch', byType: 'voxbatch', failure: 'OutOfCredits' }],
  ['info', { ...batch, is: 'end', exit: 'complete' }],
  ['warn', { ...batch, is: 'end', exit: 'failures' }],
  ['info', { type: 'schedule', schedule: 's', is: 'trigger', action: 1, by: 'a', byType: 'person', reason: undefined }],
  ['info', { ...occurrence, is: 'begin' }],
  ['info', { ...occurrence, is: 'end', exit: 'complete' }],
  ['warn', { ...occurrence, is: 'end', exit: 'complete', problem: 'The files cannot be written.' }],
  ['warn', { ...row, outcome: 'failed', failure: 'BadRequest', status: 400, requestId: 'req_1' }],
  ['warn', { ...row, outcome: 'unknown', failure: 'OutcomeUnknown' }],
  ['debug', { ...row, outcome: 'succeeded' }],
  // As a budget wished it.
  ['debug', { ...row, outcome: 'skipped', failure: 'OverBudget' }],
  ['info', { type: 'lane', batch: 'b', is: 'taken', lane: 1 }],
  ['debug', { type: 'lane', batch: 'b', is: 'claimed', rows: 3, lane: 1 }],
  ['warn', { type: 'lane', batch: 'b', is: 'failed', rows: 3, lane: 1 }],
  ['warn', { type: 'limiter', of: 'create', is: 'trouble', pauseMs: 10 }],
  ['info', { type: 'limiter', of: 'create', is: 'well', pauseMs: 0 }],
  ['debug', { ...key, type: 'intent', answer: 'go', ms: 1 }],
  ['debug', { ...key, type: 'answer', operation: 'speech-job', verdict: 'accepted', ms: 1 }],
  ['debug', { ...key, type: 'verdict', verdict: 'accepted', jobId: 'j' }],
  ['info', { ...key, type: 'verdict', verdict: 'not-accepted', failure: 'RateLimited', status: 429 }],
  ['debug', { ...key, type: 'commit', of: 'verdict', ms: 1 }],
  [
    'debug',
    { ...key, type: 'poll', operation: 'speech-job', jobId: 'j', found: 'unread', ageMs: 1, failure: 'NotSent' },
  ],
  ['debug', { ...key, type: 'download', jobId: 'j', bytes: 1, ms: 1 }],
  ['info', { ...key, type: 'download', jobId: 'j', error: 'cut' }],
  ['error', { type: 'note', what: 'ledger-away', error: 'gone' }],
];

describe('the log of a worker', () => {
  it('has each event at the level that it has for somebody on call, as the guide says', () => {
    const lines = linesOf(...SAMPLES.map(([, event]) => event));
    expect(lines.map(({ level }) => LEVELS[level as number])).toEqual(SAMPLES.map(([level]) => level));
    const seen = new Map<string, Set<string>>();
    for (const { event, level } of lines) {
      const levels = seen.get(event as string) ?? new Set();
      seen.set(event as string, levels.add(LEVELS[level as number] ?? ''));
    }
    for (const [event, levels] of seen) {
      const stated = LOG_EVENTS[event]?.levels.split('; ') ?? [];
      expect([event, [...levels].sort()]).toEqual([event, stated.toSorted()]);
    }
  });

  it('names ids as the other output for machines does, and a note by what it is about', () => {
    const [ended, noted] = linesOf(
      { ...row, outcome: 'failed', failure: 'BadRequest', status: 400, requestId: 'req_1' },
      { ...key, type: 'note', what: 'job-found', facts: { jobId: 'j7' } },
    );
    expect(ended).toMatchObject({
      event: 'row',
      id: 'a7',
      row: 7,
      request_id: 'req_1',
      status: 400,
      msg: 'row: failed',
    });
    expect(noted).toMatchObject({ event: 'job-found', batch: 'b', row: 7, job_id: 'j7' });
  });
});
