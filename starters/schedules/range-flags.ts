import type { Command } from 'commander';
import type { TimeRange } from '../../client/schedules/preview-schedule.ts';
import { INSTANT_FORM, parseInstant } from '../../policy/schedules/schedule-spec.ts';
import { unchangedError } from '../exit-error.ts';

/** Start and end of a time range. */
export interface RangeFlags {
  readonly from: string;
  readonly to: string;
}

/** Adds the flags of {@link RangeFlags}. */
export function addRangeFlags(command: Command): Command {
  return command
    .option('--from <time>', 'First moment: 2026-12-01T00:00:00Z, or with an offset such as +01:00')
    .option('--to <time>', 'Last moment');
}

/** Reads the range. Throws {@link ExitError} `usage`. */
export function readRange({ from, to }: Partial<RangeFlags>): TimeRange {
  const range = { from: readTime('--from', from), to: readTime('--to', to) };
  if (range.to < range.from) throw unchangedError('--to lies before --from.');
  return range;
}

function readTime(flag: string, text: string | undefined): number {
  const at = text === undefined ? undefined : parseInstant(text);
  if (at === undefined) throw unchangedError(`${flag}: expected ${INSTANT_FORM}, got ${text ?? 'nothing'}.`);
  return at;
}
