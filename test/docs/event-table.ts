import { LOG_EVENTS } from '../../contract/log-events.ts';
import { table } from './markdown.ts';

/** The table of what the log says. */
export function eventTable(): string {
  const rows = Object.entries(LOG_EVENTS).map(([name, { levels, says }]) => [`\`${name}\``, levels, says]);
  return table(['event', 'level', 'says'], rows);
}
