/** Another take that a command has put on record, or was about to. The same command could order one more. */
export interface RecordedTake {
  /** The command that goes on with it, and orders nothing. */
  readonly next: string;
  /** What to run instead of the same command, in words. */
  readonly instead: string;
}

/** Filled in by a command right before it records another take, so that every error from then on tells of it. */
export interface TakeNote {
  taken?: RecordedTake | undefined;
}

/** Notes another take. `next` goes on with it. */
export function noteTake(note: TakeNote | undefined, next: string, instead = `\`${next}\``): void {
  if (note !== undefined) note.taken = { next, instead };
}

/** Forgets it: it turned out that none was recorded, and that none will be. */
export function forgetTake(note: TakeNote | undefined): void {
  if (note !== undefined) note.taken = undefined;
}

/** The message of an error after another take was recorded: it advises something else than the same command. */
export function wordsAfterTake(message: string, { next, instead }: RecordedTake): string {
  const advice = message.replace(/the same command again|the same command(?= pays)/gi, (words) =>
    words.startsWith('T') ? `${instead.charAt(0).toUpperCase()}${instead.slice(1)}` : instead,
  );
  if (advice.includes(NOT_AGAIN)) return advice;
  return `${advice}\nIt may have taken effect. ${NOT_AGAIN}: it could pay once more. Run instead: ${next}`;
}

/** How such a message says it. */
const NOT_AGAIN = 'Do not repeat this command';
