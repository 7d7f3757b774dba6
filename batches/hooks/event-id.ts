import { createHash } from 'node:crypto';
import type { Notice } from '../../ledger/notices.ts';

/** What an event is: a batch of a ledger ended, or paused, at that moment. Its notices were made in one statement, so they agree. */
type Event = Pick<Notice, 'batch' | 'event' | 'madeAt'>;

/**
 * The id of the event that a notice tells: the same for the command and the URL, and each time that it is told. 32 digits
 * of hex.
 */
export function eventIdOf(ledgerId: string, { batch, event, madeAt }: Event): string {
  return createHash('sha256')
    .update(JSON.stringify([ledgerId, batch, event, madeAt]))
    .digest('hex')
    .slice(0, 32);
}
