import type { Logger } from 'pino';
import { snakeCase } from '../contract/snake-case.ts';
import { NOTES, type Observe, type WorkEvent } from '../contract/work-events.ts';

/** How much an event matters to somebody on call. */
type Level = 'error' | 'warn' | 'info' | 'debug';

/**
 * Writes each event as a line of the log, with the event's name as `event`: what somebody on call should know at its
 * level, all others at `debug`. A log that is not that detailed leaves those out.
 */
export function logEvents(log: Logger): Observe {
  return (event) => {
    const level = levelOf(event);
    if (!log.isLevelEnabled(level)) return;
    const { type, ...facts } = event;
    if (event.type === 'note') {
      const { what, facts: further, ...at } = event;
      const line = snakeCase({ ...at, ...further, type: undefined }) as object;
      log[level]({ event: what, ...line }, NOTES[what][1]);
    } else log[level]({ event: type, ...(snakeCase(facts) as object) }, wordsOf(event));
  };
}

/**
 * `warn`: somebody may have something to do. A refused attempt or a failed download is made again, and an outage would
 * be a warning for each of them: how their row ended is one.
 */
function levelOf(event: WorkEvent): Level {
  switch (event.type) {
    case 'note':
      return NOTES[event.what][0];
    case 'batch': {
      const isTrouble =
        event.is === 'end' ? event.exit !== 'complete' : event.is === 'pause' && event.byType === 'voxbatch';
      return isTrouble ? 'warn' : 'info';
    }
    case 'occurrence':
      return event.is === 'end' && (event.exit !== 'complete' || event.problem !== undefined) ? 'warn' : 'info';
    case 'schedule':
      return 'info';
    case 'lane':
      if (event.is === 'claimed') return 'debug';
      return event.is === 'failed' ? 'warn' : 'info';
    case 'row':
      return IN_NEED.includes(event.outcome) ? 'warn' : 'debug';
    case 'limiter':
      return event.is === 'well' ? 'info' : 'warn';
    case 'verdict':
    case 'download':
      return 'failure' in event || 'error' in event ? 'info' : 'debug';
    default:
      return 'debug';
  }
}

/**
 * Outcomes of rows that somebody looks into. The others without a result are as somebody wished: by a budget or a stop.
 */
const IN_NEED: readonly string[] = ['failed', 'unfit', 'unknown', 'overdue'];

/** `batch: pause` */
function wordsOf(event: WorkEvent): string {
  if (event.type === 'row') return `row: ${event.outcome}`;
  return 'is' in event ? `${event.type}: ${event.is}` : event.type;
}
