import type { Failure } from '../../contract/failures.ts';
import type { EarlierAttempt } from '../rows/max-attempts.ts';

/**
 * Whether a refusal may mean that its voice cannot be used yet. Nobody documents how the API says so, and its list of
 * voices may not tell. So this reads words; it is asked only about a voice that was made a short time ago and has never
 * spoken (`ledger/voices/refused-voices.ts`). Wrong in one direction, a row fails that would have gone on later,
 * unpaid. Wrong in the other, a row waits that will be refused again, unpaid.
 */

/**
 * How long after its creation a voice may be in training, ms. Also the max wait of its rows, counting only time in
 * which somebody looked.
 */
export const LONGEST_TRAINING_MS = 60 * 60_000;

/** Says it outright, whatever else is named: `Voice is still in training`. */
const NOT_READY =
  /\btrain(?:ing|ed)\b|\bnot (?:yet )?(?:been )?(?:ready|finished|completed?|trained)\b|n't ready\b|\bin progress\b|\bpending\b|\b(?:being|still) (?:created|prepared|processed|processing|built|cloned)\b|训练|未就绪|准备中|处理中/u;
/** Names the voice. On older paths it is a model, or a reference. */
const NAMES_VOICE = /\bvoice|\bmodel|\breference\b|\bspeaker\b|音色|声音|模型/u;
/** Says that something is not there, which may be a voice that is not there yet. */
const NOT_FOUND = /\bnot found\b|\bnot exist|n't exist\b|\bno such\b|不存在/u;
/** Names another part of the request, or what a voice will never do. */
const NAMES_OTHER =
  /\btext\b|\bcharacter|\blength\b|\btoo long\b|\bemotion|\bstyle\b|\binstruction|\blanguage|\bformat|\bspeed\b|\bpitch\b|\bvolume\b|\bengine|\blatency\b|support|\bwork with\b|\bbody\b|\brequired\b|\bmissing\b|文本|情感|语言|格式|不支持/u;
/** The name of a service, not a part of the request. */
const SERVICE = /text[ -]to[ -]speech/gu;

/**
 * True for a refusal with a 4xx, which charges nothing, whose words may be about a voice that is not ready. One without
 * words may come from a gateway that never asked the API, or after it did: such a request is not repeated.
 */
export function maySayUnready({ class: refusal, status = 0, message }: Failure): boolean {
  if (refusal !== 'BadRequest' || status < 400 || status > 499) return false;
  const words = wordsOf(message);
  if (NOT_READY.test(words)) return true;
  return (NAMES_VOICE.test(words) || NOT_FOUND.test(words)) && !NAMES_OTHER.test(words);
}

/**
 * The API's own words in a failure, in lower case, codes split into words: without the request and the status before
 * them.
 */
function wordsOf(message: string): string {
  const [, ...said] = message.split(' – ');
  return said.join(' – ').toLowerCase().replaceAll('_', ' ').replace(SERVICE, '').trim();
}

/**
 * Whether an earlier attempt of a take may have been accepted although it was refused, so that a conflict may mean that
 * one. A refusal for the voice is the API's own and final: after it, a conflict means the voice again.
 */
export function mayBeTaken(
  attempts: readonly Omit<EarlierAttempt, 'state'>[],
  { step, take }: Pick<EarlierAttempt, 'step' | 'take'>,
): boolean {
  return attempts.some((one) => one.step === step && one.take === take && one.failure?.class !== 'BadRequest');
}
