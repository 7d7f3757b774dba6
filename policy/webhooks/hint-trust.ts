/**
 * Whether webhooks can be relied on for when a job ends, as far as its polls are concerned. Nothing else rests on them:
 * the API's own answer decides.
 *
 * - `trial`: nothing is known yet. Few jobs are polled, and what becomes of those shows whether webhooks come.
 * - `trusted`: they came for enough jobs in a row.
 * - `doubted`: a job had ended without one. All jobs are polled as if there were no webhooks, until they come again.
 */
export interface HintTrust {
  readonly standing: 'trial' | 'trusted' | 'doubted';
  /** Jobs in a row whose end a webhook announced. */
  readonly streak: number;
}

export const NEW_TRUST: HintTrust = { standing: 'trial', streak: 0 };

/** Announced ends in a row that make webhooks trusted. */
export const ENOUGH_HINTS = 8;

/** A job has ended. `missed`: a poll found that out, and no webhook came, not even soon afterwards. */
export function afterEnd(trust: HintTrust, how: 'hinted' | 'missed'): HintTrust {
  if (how === 'missed') return { standing: 'doubted', streak: 0 };
  const streak = Math.min(ENOUGH_HINTS, trust.streak + 1);
  return { standing: streak >= ENOUGH_HINTS ? 'trusted' : trust.standing, streak };
}

/** Whether polls may be left out. */
export function sparesPolls({ standing }: HintTrust): boolean {
  return standing !== 'doubted';
}
