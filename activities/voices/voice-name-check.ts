import { ApiError } from '../../api/speech-api.ts';
import { factsOf } from '../../contract/row-kinds.ts';
import type { LoadedAttempt } from '../attempt.ts';
import type { Dependencies } from '../dependencies.ts';
import { voicesNamed } from './adopt-lost-voice.ts';

/** Maximum age of an answer, ms. Others may create voices meanwhile. */
const FRESH_MS = 5_000;

/**
 * Checks, for one row, that no voice has the name that its request will give to a new voice. Only then can a voice of
 * that name be recognised as the request's own if the answer is lost.
 */
export class VoiceNameCheck {
  readonly #deps: Dependencies;
  #answer: { readonly isFree: boolean | undefined; readonly at: number } | undefined;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Returns whether the name is free, at most 5 s old: a request that waits for a slot calls this many times a second.
   * Undefined if the list of voices cannot be read, or the request creates no voice.
   */
  async isFree(attempt: LoadedAttempt, signal: AbortSignal): Promise<boolean | undefined> {
    const { operation, row } = attempt;
    const { name } = row.spec;
    if (factsOf(operation).result !== 'voice' || name === undefined) return undefined;
    const { clock } = this.#deps;
    if (this.#answer === undefined || clock.now().monotonic - this.#answer.at > FRESH_MS) {
      const isFree = await this.#read(attempt, name, signal);
      this.#answer = { isFree, at: clock.now().monotonic };
    }
    return this.#answer.isFree;
  }

  async #read({ batch, row }: LoadedAttempt, name: string, signal: AbortSignal): Promise<boolean | undefined> {
    try {
      return (await voicesNamed(this.#deps, { batch, row }, name, signal)).length === 0;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const facts = { failure: error.failure.class };
      this.#deps.observe({ type: 'note', what: 'voices-unread', batch: batch.name, row: row.row, facts });
      return undefined;
    }
  }
}
