import { readVoices, type VoicesRead } from '../../api/voices/read-voices.ts';
import type { AwaitedVoice, VoiceSettlement } from '../../ledger/voices/awaited-voices.ts';
import type { Failure } from '../../contract/failures.ts';
import { nextForVoice, watchAfter, type VoiceSeen } from '../../policy/voices/awaited-voice.ts';
import { MAX_TRAINING_MS } from '../../policy/voices/unready-voice.ts';
import type { Dependencies } from '../dependencies.ts';
import { readInTurn } from '../polling/read-in-turn.ts';
import { errorSummary } from '../visibility/event-facts.ts';

/** Maximum time to read the list of voices, ms, from its first turn. Shorter than the lease of a poll in the ledger. */
const PATIENCE_MS = 60_000;

/** Maximum characters of a refusal quoted in a row's failure. */
const MAX_QUOTE_LENGTH = 250;

type PollDependencies = Parameters<typeof readInTurn>[0] & Pick<Dependencies, 'api' | 'observe'>;

/**
 * Polls the voices that rows wait for, because they may still be in training: reads the API's list of voices, and
 * records whether each voice is ready, polled again later, or given up. All lanes of all workers of an account share
 * the polls: the ledger leases each to one of them, and one read of the list serves all voices that are due.
 */
export class VoicePolls {
  readonly #deps: PollDependencies;
  readonly #signal: AbortSignal;
  #isPolling = false;

  constructor(deps: PollDependencies, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /**
   * Starts a poll unless one is running or none is due, and returns at once. `batch`: whose share of the rate it uses.
   */
  start(batch: string): void {
    if (this.#isPolling || this.#signal.aborted) return;
    this.#isPolling = true;
    this.#poll(batch)
      .catch((error: unknown) => {
        // If the ledger is gone, the lane's own calls fail too. Otherwise the poll is due again when its lease ends.
        this.#deps.observe({ type: 'note', what: 'voice-look-failed', batch, error: errorSummary(error) });
      })
      .finally(() => {
        this.#isPolling = false;
      });
  }

  async #poll(batch: string): Promise<void> {
    const { ledger, realm, clock, api } = this.#deps;
    const due = await ledger.claimVoicePoll(realm, clock.now().wall);
    if (due.length === 0) return;
    const ids = new Set(due.map(({ voice }) => voice));
    const inTurn = <T>(page: () => Promise<T>): Promise<T> => readInTurn(this.#deps, batch, this.#signal, page);
    const read = await readVoices(api, { ids, patienceMs: PATIENCE_MS, tries: 1, inTurn });
    const now = clock.now().wall;
    await ledger.settleVoices(due.map((voice) => settlementOf(voice, seenIn(read, voice), now)));
  }
}

/** Returns what a read of the list says about a voice. `unread`: the read ended before the voice was found. */
function seenIn(read: VoicesRead, { voice }: AwaitedVoice): VoiceSeen {
  const found = read.voices.get(voice);
  if (found === undefined) return read.type === 'cut' ? 'unread' : 'unlisted';
  return found.isInTraining === true ? 'training' : 'ready';
}

/** Decides what to record for a voice after a poll. `now`: wall clock, ms. */
function settlementOf(awaited: AwaitedVoice, seen: VoiceSeen, now: number): VoiceSettlement {
  const { batch, voice, lookedAt, refusal } = awaited;
  const watch = watchAfter(awaited.watch, seen, now - lookedAt);
  const next = nextForVoice(seen, watch, refusal !== null);
  switch (next.type) {
    case 'use':
      return { batch, voice, then: 'use' };
    case 'look-again':
    case 'try':
      return { batch, voice, then: next.type, lookedAt: now, dueAt: now + next.pauseMs, watch };
    case 'give-up':
      return { batch, voice, then: 'give-up', failure: afterTooLong(awaited) };
  }
}

/** Returns the failure of the rows of a voice that was not ready in time. */
function afterTooLong({ voice, name, refusal }: AwaitedVoice): Failure {
  const minutes = String(MAX_TRAINING_MS / 60_000);
  const called = name === null ? voice : `"${name}" (${voice})`;
  const cause = 'its voice is in training';
  if (refusal === null) {
    const message = `Voice ${called} was still in training after ${minutes} minutes. Nothing was sent for this row, nothing was charged.`;
    return { class: 'NoVoice', cause, message };
  }
  const said = refusal.message.replace(/\.?$/u, '.').slice(0, MAX_QUOTE_LENGTH);
  const message = `Voice ${called} was still refused after ${minutes} minutes; nothing was charged for this row. The last answer: ${said}`;
  return { class: 'NoVoice', cause, message };
}
