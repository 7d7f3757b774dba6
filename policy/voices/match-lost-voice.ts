import { API_CLOCK_SLACK_MS } from '../clocks.ts';
import type { Finding } from '../reconcile/match-lost-job.ts';

/**
 * Finds the voice that a request with a lost answer created, by its name. A wrong voice would give a row somebody
 * else's voice, or count a charge twice, so every doubt ends as `ambiguous`: the name must have been free right before
 * the request, exactly one voice may have it now, no other request may have made that voice, and the request must be
 * recent, because a person or another program may create a voice of that name later.
 */

/** The facts about a lost request for a voice. */
export interface LostVoice {
  /** Whether the name was free right before the request; null if unknown. */
  readonly nameWasFree: boolean | null;
  /** Ids of the voices that have the name now. */
  readonly named: readonly string[];
  /** Ids among these that belong to another attempt. */
  readonly claimed: ReadonlySet<string>;
  /** Other requests for a voice of that name that have no verdict, or were given up as unknown. */
  readonly others: number;
  /** Since the request was recorded, ms. */
  readonly ageMs: number;
}

/** A voice found later than this is left to a person to judge, ms. */
const RECENT_MS = 10 * 60_000;

/** Chooses the voice of a lost request. */
export function chooseVoice({ nameWasFree, named, claimed, others, ageMs }: LostVoice): Finding {
  const [id] = named;
  if (id === undefined) return { type: 'nothing' };
  const isOnlyOne = named.length === 1 && !claimed.has(id) && others === 0;
  return nameWasFree === true && isOnlyOne && ageMs <= RECENT_MS ? { type: 'found', id } : { type: 'ambiguous' };
}

/**
 * A request for a voice. `intentAt`: when it was recorded, ms. `owner`: the process that sent it; empty if it was
 * recorded later, because a person named its voice. `nameWasFree`: see {@link LostVoice}.
 */
interface VoiceRequest {
  readonly intentAt: number;
  readonly owner: string;
  readonly nameWasFree: boolean | null;
}

/** Whether a voice was made before the request, so the request cannot have made it. `madeAtMs`: by the API's clock. */
export function wasMadeBefore(
  madeAtMs: number,
  { intentAt, owner }: Pick<VoiceRequest, 'intentAt' | 'owner'>,
): boolean {
  return owner !== '' && madeAtMs < intentAt - API_CLOCK_SLACK_MS;
}

/** Whether a voice with the request's name certainly did not exist before it. `createdAtMs`: by the API, if known. */
export function isNewSince(
  { intentAt, nameWasFree }: Omit<VoiceRequest, 'owner'>,
  { createdAtMs }: { readonly createdAtMs?: number | undefined },
): boolean {
  return nameWasFree === true || (createdAtMs !== undefined && createdAtMs >= intentAt);
}

/** Whether the API may treat two names as equal: it may trim them, or normalise their Unicode form. */
export function isSameName(one: string, other: string): boolean {
  return tidy(one) === tidy(other);
}

function tidy(name: string): string {
  return name.normalize('NFC').trim();
}
