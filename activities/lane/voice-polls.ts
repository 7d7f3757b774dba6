import { readVoices, type VoicesRead } from '../../api/voices/read-voices.ts';
import type { AwaitedVoice, VoiceSettlement } from '../../ledger/voices/awaited-voices.ts';
import type { Failure } from '../../contract/failures.ts';
import { nextForVoice, watchAfter, type VoiceSeen } from '../../policy/voices/awaited-voice.ts';
import { LONGEST_TRAINING_MS } from '../../policy/voices/unready-voice.ts';
import type { Dependencies } from '../dependencies.ts';
import { readInTurn } from '../polling/read-in-turn.ts';
import { errorSummary } from '../visibility/event-facts.ts';

/** Max time for one look at the list, ms, from its first turn. Shorter than the look's lease in the ledger. */
const PATIENCE_MS = 60_000;

/** Max characters of a refusal quoted in a row's failure. */
const LONGEST_QUOTE = 250;

/** Dependencies of a look. */
type LookDependencies = Parameters<typeof readInTurn>[0] & Pick<Dependencies, 'api' | 'observe'>;

/**
 * Looks at voices that rows wait for, because they may be in training. All lanes of all workers of an account share the
 * looks: the ledger gives each to one of them, and one reading of the API's list serves all voices that are due.
 */
export class VoicePolls {
  readonly #deps: LookDependencies;
  readonly #signal: AbortSignal;
  #isLooking = false;

  constructor(deps: LookDependencies, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /**
   * Starts a look unless one is under way or none is due. Returns at once. `batch`: the batch whose pace the read uses.
   */
  begin(batch: string): void {
    if (this.#isLooking || this.#signal.aborted) return;
    this.#isLooking = true;
    this.#look(batch)
      .catch((error: unknown) => {
        // The lane notices by itself if its ledger is gone. The look is due again after some time.
        this.#deps.observe({ type: 'note', what: 'voice-look-failed', batch, error: errorSummary(error) });
      })
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #look(batch: string): Promise<void> {
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

function seenIn(read: VoicesRead, { voice }: AwaitedVoice): VoiceSeen {
  const found = read.voices.get(voice);
  if (found === undefined) return read.type === 'cut' ? 'unread' : 'unlisted';
  return found.isInTraining === true ? 'training' : 'ready';
}

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

function afterTooLong({ voice, name, refusal }: AwaitedVoice): Failure {
  const minutes = String(LONGEST_TRAINING_MS / 60_000);
  const called = name === null ? voice : `"${name}" (${voice})`;
  const cause = 'its voice is in training';
  if (refusal === null) {
    const message = `Voice ${called} was still in training after ${minutes} minutes. Nothing was sent for this row, nothing was charged.`;
    return { class: 'NoVoice', cause, message };
  }
  const said = refusal.message.replace(/\.?$/u, '.').slice(0, LONGEST_QUOTE);
  const message = `Voice ${called} was still refused after ${minutes} minutes; nothing was charged for this row. The last answer: ${said}`;
  return { class: 'NoVoice', cause, message };
}
