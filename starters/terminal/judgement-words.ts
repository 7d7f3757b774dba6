import type { Judgement } from '../../contract/verify.ts';

/** What a verification found: `heard 8 words, the text has 9: 22.2 % wrong (at most 25 %), 1 in a row`. */
export function judgementWords({ error, run, words, heard, threshold }: Judgement): string {
  const [wrong, most] = [error, threshold].map((share) => `${String(Math.round(share * 1_000) / 10)} %`);
  const heardWords = `${String(heard)} ${heard === 1 ? 'word' : 'words'}`;
  return `heard ${heardWords}, the text has ${String(words)}: ${wrong ?? ''} wrong (at most ${most ?? ''}), ${String(Math.round(run))} in a row`;
}
