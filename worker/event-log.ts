import type { Logger } from 'pino';
import { snakeCase } from '../contract/snake-case.ts';
import { NOTES, type Observe, type WorkEvent } from '../contract/work-events.ts';
import { needsAttention } from '../contract/outcomes.ts';

/** The log level of an event. */
type Level = 'error' | 'warn' | 'info' | 'debug';

/**
 * Returns an observer that writes each event as a line of the log: its type, or for a note its name, as `event`, its
 * other fields in snake case.
 */
export function logEvents(log: Logger): Observe {
  return (event) => {
    const level = levelOf(event);
    if (!log.isLevelEnabled(level)) return;
    const { type, ...facts } = event;
    if (event.type === 'note') {
      const { what, facts: noteFacts, ...fields } = event;
      const line = snakeCase({ ...fields, ...noteFacts, type: undefined }) as object;
      log[level]({ event: what, ...line }, NOTES[what][1]);
    } else log[level]({ event: type, ...(snakeCase(facts) as object) }, eventMessage(event));
  };
}

/**
 * Returns the level of an event. `warn`: somebody on call may have to act. A refused attempt or a failed download is
 * only `info`, because it is retried; a row that ends badly is `warn`.
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
      return needsAttention(event.outcome) ? 'warn' : 'debug';
    case 'limiter':
      return event.is === 'well' ? 'info' : 'warn';
    case 'verdict':
    case 'download':
      return 'failure' in event || 'error' in event ? 'info' : 'debug';
    default:
      return 'debug';
  }
}

/** Returns the message of an event, such as `batch: pause`. */
function eventMessage(event: WorkEvent): string {
  if (event.type === 'row') return `row: ${event.outcome}`;
  return 'is' in event ? `${event.type}: ${event.is}` : event.type;
}
