/** A time (ms since 1970) in UTC, to the second: `2026-12-01T02:00:00Z`. */
export function utcSecond(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
