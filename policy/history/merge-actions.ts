import type { ActionRecord } from '../../contract/actions.ts';
import { joined } from './row-ranges.ts';

/**
 * One line per action: what a command did in several transactions, such as the redrive of many rows, is one. The line
 * stands where the command began.
 */
export function mergeActions(lines: readonly ActionRecord[]): readonly ActionRecord[] {
  const merged = new Map<string, ActionRecord>();
  for (const line of lines) {
    const { number, command, kind, batch, schedule } = line;
    // Without a command, each line is an action of its own.
    const key = JSON.stringify(command === '' ? number : [command, kind, batch, schedule]);
    const before = merged.get(key);
    merged.set(key, before === undefined ? line : together(before, line));
  }
  return [...merged.values()];
}

function together(one: ActionRecord, other: ActionRecord): ActionRecord {
  const { results } = other.details;
  const sum = results === undefined ? {} : { results: (one.details.results ?? 0) + results };
  return {
    ...one,
    details: { ...one.details, ...sum },
    rows: one.rows === null || other.rows === null ? one.rows : joined([...one.rows, ...other.rows]),
  };
}
