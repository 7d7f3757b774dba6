/** Stands for what differs from row to row. No message has it. */
const OWN = '\u0000';

/** A message without its row's job, number, time and price; otherwise there would be as many messages as rows. */
export function messageKind(message: string): string {
  return withoutOwn(message).replaceAll(OWN, '…');
}

/** Pattern for `like … escape '!'` of all messages of this kind. */
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
