/** Words of the API or of the system as a sentence: with a full stop, unless they end in one. */
export function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
