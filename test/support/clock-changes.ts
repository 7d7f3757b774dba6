/** A schedule around a change of the clocks, and when it fires by the server's word. The guide has these as a table. */
export interface ClockChange {
  readonly zone: string;
  readonly cron: string;
  /** The range that is looked at, ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly fires: readonly string[];
}

/** Of 2027, days as 03-27 and times as Sat 03-27 02:30 +01:00. */
function change(zone: string, cron: string, [from, to]: readonly [string, string], ...fires: string[]): ClockChange {
  const whole = (time: string): string => time.replace(/ (\d\d-\d\d \d\d:\d\d)/, ' 2027-$1:00');
  return { zone, cron, from: `2027-${from}T00:00Z`, to: `2027-${to}T12:00Z`, fires: fires.map(whole) };
}

/** Both changes of a year, north and south of the equator, east and west of Greenwich, by an hour and by half of one. */
export const CLOCK_CHANGES: readonly ClockChange[] = [
  change('Europe/Berlin', '30 2 * * *', ['03-27', '03-29'], 'Sat 03-27 02:30 +01:00', 'Mon 03-29 02:30 +02:00'),
  change(
    'Europe/Berlin',
    '30 2 * * *',
    ['10-30', '11-01'],
    'Sat 10-30 02:30 +02:00',
    'Sun 10-31 02:30 +01:00',
    'Mon 11-01 02:30 +01:00',
  ),
  change('America/New_York', '30 2 * * *', ['03-13', '03-15'], 'Sat 03-13 02:30 -05:00', 'Mon 03-15 02:30 -04:00'),
  change(
    'America/New_York',
    '30 1 * * *',
    ['11-07', '11-08'],
    'Sun 11-07 01:30 -04:00',
    'Sun 11-07 01:30 -05:00',
    'Mon 11-08 01:30 -05:00',
  ),
  change('Australia/Sydney', '30 2 * * *', ['10-01', '10-04'], 'Sat 10-02 02:30 +10:00', 'Mon 10-04 02:30 +11:00'),
  change('Australia/Sydney', '30 2 * * *', ['04-02', '04-04'], 'Sat 04-03 02:30 +11:00', 'Sun 04-04 02:30 +10:00'),
  change('America/Santiago', '30 0 * * *', ['09-04', '09-06'], 'Sat 09-04 00:30 -04:00', 'Mon 09-06 00:30 -03:00'),
  change(
    'America/Santiago',
    '30 23 * * *',
    ['04-03', '04-04'],
    'Fri 04-02 23:30 -03:00',
    'Sat 04-03 23:30 -03:00',
    'Sat 04-03 23:30 -04:00',
  ),
  change('Australia/Lord_Howe', '15 2 * * *', ['10-01', '10-03'], 'Sat 10-02 02:15 +10:30', 'Sun 10-03 02:45 +11:00'),
  change('Australia/Lord_Howe', '45 1 * * *', ['04-02', '04-04'], 'Sat 04-03 01:45 +11:00', 'Sun 04-04 01:45 +10:30'),
  change('UTC', '30 2 * * *', ['03-28', '03-29'], 'Sun 03-28 02:30 UTC', 'Mon 03-29 02:30 UTC'),
];
