/** A moment in UTC: `2026-10-25T02:30:00.000Z`. `ms`: since 1970. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
