import { writeSync } from 'node:fs';
import { pino, type Logger } from 'pino';
import { pathsIn } from '../../embedded/home.ts';
import { openOwnLog } from '../../embedded/private-home.ts';

/** Receives a copy of the worker's log, line by line. */
export interface LogListener {
  readonly write: (line: string) => void;
  /** `debug`: each step; `info`: what matters to somebody on call. */
  readonly level: 'info' | 'debug';
}

/**
 * Opens the log of this home's workers. It records state changes, and with a listener for `debug` every event
 * (`contract/work-events.ts`): ids, never texts, links or tokens.
 */
export function openLog(home: string, listener?: LogListener): Logger {
  const file = openOwnLog(pathsIn(home).workerLog);
  const write = (line: string): void => {
    listener?.write(line.trimEnd());
    try {
      writeSync(file, line);
    } catch {
      // The disk is full. The log may have gaps, but must neither stop nor delay the work (as pino's own destination
      // does).
    }
  };
  return pino({ base: { pid: process.pid }, level: listener?.level ?? 'info' }, { write });
}
