import type { ActionRecord } from '../../contract/actions.ts';
import { mergeRanges } from './row-ranges.ts';

/**
 * Merges the records that one command wrote in several transactions, such as a redrive of many rows, into one record
 * per action, at the position of the first. Input and result are in the ledger's order.
 */
export function mergeActions(lines: readonly ActionRecord[]): readonly ActionRecord[] {
  const merged = new Map<string, ActionRecord>();
  for (const line of lines) {
    const { number, command, kind, batch, schedule } = line;
    // Without a command, each line is an action of its own.
    const key = JSON.stringify(command === '' ? number : [command, kind, batch, schedule]);
    const before = merged.get(key);
    merged.set(key, before === undefined ? line : mergeTwo(before, line));
  }
  return [...merged.values()];
}

function mergeTwo(one: ActionRecord, other: ActionRecord): ActionRecord {
  const { results } = other.details;
  const sum = results === undefined ? {} : { results: (one.details.results ?? 0) + results };
  return {
    ...one,
    details: { ...one.details, ...sum },
    rows: one.rows === null || other.rows === null ? one.rows : mergeRanges([...one.rows, ...other.rows]),
  };
}
