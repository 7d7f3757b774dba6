import { Command, Option } from 'commander';
import type { requireSpec } from '../../client/schedules/create-schedule.ts';
import { OVERLAP_POLICIES } from '../../contract/schedule.ts';
import { wholeFrom } from '../commands/flag-values.ts';

/** Flags for when a schedule fires, as commander returns them. */
export type SpecFlags = Parameters<typeof requireSpec>[0];

/** Adds the flags of {@link SpecFlags}. None has a default here, so that given flags can be told from the others. */
export function addSpecFlags(command: Command): Command {
  return command
    .option('--every <duration>', 'Fire at each multiple of this length since 1970 in UTC: 90s, 15m, 6h, 1d')
    .option(
      '--cron <fields>',
      'Fire by five fields: minute hour day month weekday; or @hourly, @daily, @weekly, @monthly',
    )
    .option('--calendar <fields>', 'Fire by fields with names: "weekday=mon-fri hour=6,18 minute=30"')
    .option('--timezone <name>', 'Timezone of --cron and --calendar, and of times that are shown (default: UTC)')
    .option('--jitter <duration>', 'Fire up to this much later (default: 0)')
    .addOption(
      new Option(
        '--overlap <policy>',
        'If the previous batch is still running: skip this one; wait, for one or for all; cancel (stop) the previous one; allow both (default: skip)',
      ).choices(OVERLAP_POLICIES),
    )
    .option('--catch-up <duration>', 'Fire late if the server was down, by this much at most (default: 1h)')
    .option('--pause-on-failure', 'Pause after an occurrence that made no batch, or whose batch gave up')
    .option('--no-pause-on-failure', 'Go on after such an occurrence (the default)')
    .option('--until <time>', 'Fire no more after this: 2026-12-31T23:59:59Z')
    .option('--runs <n>', 'Fire this many times, then no more', wholeFrom(1))
    .option(
      '--budget-month <credits>',
      "Spending limit of all batches of a calendar month in the schedule's timezone; none: no limit",
    );
}

/** Names of {@link SpecFlags}. */
export function specFlagNames(): readonly string[] {
  return addSpecFlags(new Command()).options.map((option) => option.attributeName());
}

/** Adds the flags of a time range. */
export function addRangeFlags(command: Command): Command {
  return command
    .option('--from <time>', 'First moment: 2026-12-01T00:00:00Z, or with an offset such as +01:00')
    .option('--to <time>', 'Last moment');
}

/** The flag of an option, for messages. */
export function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
