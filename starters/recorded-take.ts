/**
 * A new take that this command has recorded, or was about to record. Running the same command again could order and pay
 * for one more, so every error message from then on advises another command instead.
 */
export interface RecordedTake {
  /** The command that continues the take and orders nothing. */
  readonly next: string;
  /** What to run instead of the same command, in words. */
  readonly instead: string;
}

/** Shared by a command and `main.ts`, which prints its error. */
export interface TakeNote {
  taken?: RecordedTake | undefined;
}

/** Notes a new take, right before it is recorded. `next`: the command that continues it. */
export function noteTake(note: TakeNote | undefined, next: string, instead = `\`${next}\``): void {
  if (note !== undefined) note.taken = { next, instead };
}

/** Clears the note, after it turned out that no take was recorded and none will be. */
export function forgetTake(note: TakeNote | undefined): void {
  if (note !== undefined) note.taken = undefined;
}

/** Returns an error message in which the advice to repeat the command is replaced by `instead`. */
export function messageAfterTake(message: string, { next, instead }: RecordedTake): string {
  const advice = message.replace(/the same command again|the same command(?= pays)/gi, (words) =>
    words.startsWith('T') ? `${instead.charAt(0).toUpperCase()}${instead.slice(1)}` : instead,
  );
  if (advice.includes(DO_NOT_REPEAT)) return advice;
  return `${advice}\nIt may have taken effect. ${DO_NOT_REPEAT}: it could pay once more. Run instead: ${next}`;
}

/** Some messages have this sentence already. */
const DO_NOT_REPEAT = 'Do not repeat this command';
