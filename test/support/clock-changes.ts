/** A schedule around a change of the clocks, and when it fires by the server's word. The guide has these as a table. */
export interface ClockChange {
  readonly zone: string;
  readonly cron: string;
  /** The range that is looked at, ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly fires: readonly string[];
}

function change(
  zone: string,
  cron: string,
  [from, to]: readonly [string, string],
  fires: readonly string[],
): ClockChange {
  return { zone, cron, from: `${from}T00:00Z`, to: `${to}T12:00Z`, fires };
}

/** Both changes of a year, north and south of the equator, east and west of Greenwich, by an hour and by half of one. */
export const CLOCK_CHANGES: readonly ClockChange[] = [
  change(
    'Europe/Berlin',
    '30 2 * * *',
    ['2027-03-27', '2027-03-29'],
    ['Sat 2027-03-27 02:30:00 +01:00', 'Mon 2027-03-29 02:30:00 +02:00'],
  ),
  change(
    'Europe/Berlin',
    '30 2 * * *',
    ['2027-10-30', '2027-11-01'],
    ['Sat 2027-10-30 02:30:00 +02:00', 'Sun 2027-10-31 02:30:00 +01:00', 'Mon 2027-11-01 02:30:00 +01:00'],
  ),
  change(
    'America/New_York',
    '30 2 * * *',
    ['2027-03-13', '2027-03-15'],
    ['Sat 2027-03-13 02:30:00 -05:00', 'Mon 2027-03-15 02:30:00 -04:00'],
  ),
  change(
    'America/New_York',
    '30 1 * * *',
    ['2027-11-07', '2027-11-08'],
    ['Sun 2027-11-07 01:30:00 -04:00', 'Sun 2027-11-07 01:30:00 -05:00', 'Mon 2027-11-08 01:30:00 -05:00'],
  ),
  change(
    'Australia/Sydney',
    '30 2 * * *',
    ['2027-10-01', '2027-10-04'],
    ['Sat 2027-10-02 02:30:00 +10:00', 'Mon 2027-10-04 02:30:00 +11:00'],
  ),
  change(
    'Australia/Sydney',
    '30 2 * * *',
    ['2027-04-02', '2027-04-04'],
    ['Sat 2027-04-03 02:30:00 +11:00', 'Sun 2027-04-04 02:30:00 +10:00'],
  ),
  change(
    'America/Santiago',
    '30 0 * * *',
    ['2027-09-04', '2027-09-06'],
    ['Sat 2027-09-04 00:30:00 -04:00', 'Mon 2027-09-06 00:30:00 -03:00'],
  ),
  change(
    'America/Santiago',
    '30 23 * * *',
    ['2027-04-03', '2027-04-04'],
    ['Fri 2027-04-02 23:30:00 -03:00', 'Sat 2027-04-03 23:30:00 -03:00', 'Sat 2027-04-03 23:30:00 -04:00'],
  ),
  change(
    'Australia/Lord_Howe',
    '15 2 * * *',
    ['2027-10-01', '2027-10-03'],
    ['Sat 2027-10-02 02:15:00 +10:30', 'Sun 2027-10-03 02:45:00 +11:00'],
  ),
  change(
    'Australia/Lord_Howe',
    '45 1 * * *',
    ['2027-04-02', '2027-04-04'],
    ['Sat 2027-04-03 01:45:00 +11:00', 'Sun 2027-04-04 01:45:00 +10:30'],
  ),
  change(
    'UTC',
    '30 2 * * *',
    ['2027-03-28', '2027-03-29'],
    ['Sun 2027-03-28 02:30:00 UTC', 'Mon 2027-03-29 02:30:00 UTC'],
  ),
];
