import type { AttemptKey } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import { LONGEST_TRAINING_MS, maySayUnready } from '../../policy/voices/unready-voice.ts';
import type { LoadedAttempt } from '../attempt.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * The voice of a refused row, if the refusal may mean that it is not ready: its words may, and the row was sent to try the voice, or
 * the voice is new. Undefined: it means something else.
 */
export async function unreadyVoice(
  { ledger, realm, clock }: Pick<Dependencies, 'ledger' | 'realm' | 'clock'>,
  { row }: Pick<LoadedAttempt, 'row'>,
  { batch, step }: AttemptKey,
  failure: Failure,
): Promise<string | undefined> {
  const { awaitedVoice, voiceRow, spec } = row;
  const { voice } = spec;
  if (step !== 'speech' || voice === undefined || !maySayUnready(failure)) return undefined;
  if (awaitedVoice === voice) return voice;
  const since = clock.now().wall - LONGEST_TRAINING_MS;
  return (await ledger.isNewVoice(realm, { batch, voice, voiceRow }, since)) ? voice : undefined;
}
