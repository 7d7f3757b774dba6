const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Offset of a timezone from UTC at a time (ms since 1970), in ms; whole minutes. `timezone`: IANA name. */
export function offsetOf(at: number, timezone: string): number {
  const name = formatIn(timezone)
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const found = /^GMT(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d)/.exec(name ?? '')?.groups;
  if (found === undefined) return 0;
  const { sign, hours, minutes } = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Cached, because creating a format takes longer than using it. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  FORMATS.set(timeZone, format);
  return format;
}
