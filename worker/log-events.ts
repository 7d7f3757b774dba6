import type { Logger } from 'pino';
import { NOTES, type Observe } from '../contract/work-events.ts';

/**
 * Writes each event as a line of the log: what somebody on call should know at its level, all others at `debug`. A log that is not that detailed
 * leaves those out.
 */
export function logEvents(log: Logger): Observe {
  return (event) => {
    const { type, ...facts } = event;
    if (event.type === 'note') {
      const [level, words] = NOTES[event.what];
      log[level](facts, words);
    } else if (event.type === 'lane' && event.is !== 'claimed') {
      // Who works on what: two lines for each slice.
      log[event.is === 'failed' ? 'warn' : 'info']({ event: type, ...facts }, `lane: ${event.is}`);
    } else {
      // A job that cannot be read is read again: an outage would be a line for each job and read.
      const isTrouble = type !== 'poll' && ('failure' in event || 'error' in event);
      log[isTrouble ? 'warn' : 'debug']({ event: type, ...facts }, type);
    }
  };
}
