/** How Temporal notes that it paused a schedule by itself, in its older and newer words; an id and the failure follow. */
const BY_ITSELF = /^paused due to workflow (?:failure|timeout)|^paused, workflow /;

/** Whether a schedule paused by itself, because an occurrence failed (`--pause-on-failure`). */
export function isPauseOnFailure(note: string): boolean {
  return BY_ITSELF.test(note);
}

/** The note of a schedule for people: without ids of Temporal's. */
export function noteInWords(note: string): string {
  return isPauseOnFailure(note) ? 'an occurrence failed' : note;
}
