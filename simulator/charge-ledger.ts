import type { Operation } from '../contract/row-kinds.ts';

/** One accepted paid request. Tests count charges here. */
export interface LedgerEntry {
  /** When it was accepted, in ms since 1970. */
  readonly at: number;
  readonly operation: Operation;
  /** The dialect of the request, if not v1. */
  readonly dialect?: 'legacy';
  /** The job or voice that it created. Null for an operation that answers with the result itself. */
  readonly jobId: string | null;
  readonly credits: number;
  /** The `Idempotency-Key` as received; the service does not act on it. */
  readonly idempotencyKey: string | null;
  readonly requestId: string;
  readonly text?: string;
  readonly voiceId?: string;
  readonly videoUrl?: string;
  readonly audioUrl?: string;
  /** Name of a new voice. */
  readonly name?: string;
  /** `sent` once the complete true answer was handed to the socket; `lost` until then. */
  answered: 'sent' | 'lost';
}

/** Everything accepted and charged, in order. */
export class ChargeLedger {
  readonly #entries: LedgerEntry[] = [];

  /** Records an accepted request; its answer is not sent yet. */
  add(entry: Omit<LedgerEntry, 'answered'>): LedgerEntry {
    const added: LedgerEntry = { ...entry, answered: 'lost' };
    this.#entries.push(added);
    return added;
  }

  /** Returns copies of all entries. */
  list(): LedgerEntry[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }
}
