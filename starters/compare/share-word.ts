/** A share as a flag takes it: `5%`, `0.5%`; `any` for no bound. */
export function shareWord(share: number): string {
  return share === Infinity ? 'any' : `${String(Math.round(share * 1_000) / 10)}%`;
}
