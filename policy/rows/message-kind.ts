/** Groups messages of rows that differ only in the row's job, number, time and price. */

/** Placeholder for what differs from row to row. No message contains it. */
const OWN = '\u0000';

/** Returns a message with `…` in place of what differs from row to row. */
export function messageKind(message: string): string {
  return withoutOwn(message).replaceAll(OWN, '…');
}

/** Returns an SQL pattern (`like … escape '!'`) that matches all messages with the same {@link messageKind}. */
export function messagePattern(message: string): string {
  return withoutOwn(message).replace(/[!%_]/g, '!$&').replaceAll(OWN, '%');
}

function withoutOwn(message: string): string {
  return message
    .replace(
      /\b(job) \S+|\b(row|line) \d+|\b(after|costs|cost) [\d.]+/gi,
      (found: string) => `${found.split(' ')[0] ?? ''} ${OWN}`,
    )
    .replace(/(?<![\d.])[\d.]+ spent/, `${OWN} spent`);
}
