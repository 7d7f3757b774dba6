import type { Failure } from '../../contract/failures.ts';
import type { EarlierAttempt } from '../rows/max-attempts.ts';

/**
 * Recognises refusals that may mean that a voice cannot be used yet. The wording is undocumented, so this searches the
 * message for words; it is applied only to a voice that was created recently and has never spoken
 * (`ledger/voices/refused-voices.ts`). A false negative makes a row fail that would have succeeded later; a false
 * positive makes a row wait that will be refused again. Neither costs anything.
 */

/**
 * How long after its creation a voice may be in training, ms. Also the max wait of its rows, counting only time in
 * which somebody looked.
 */
export const MAX_TRAINING_MS = 60 * 60_000;

/** Says clearly that something is not ready: `Voice is still in training`. */
const NOT_READY =
  /\btrain(?:ing|ed)\b|\bnot (?:yet )?(?:been )?(?:ready|finished|completed?|trained)\b|n't ready\b|\bin progress\b|\bpending\b|\b(?:being|still) (?:created|prepared|processed|processing|built|cloned)\b|训练|未就绪|准备中|处理中/u;
/** Names the voice. On older paths it is a model, or a reference. */
const NAMES_VOICE = /\bvoice|\bmodel|\breference\b|\bspeaker\b|音色|声音|模型/u;
/** Says that something is not there, which may be a voice that is not there yet. */
const NOT_FOUND = /\bnot found\b|\bnot exist|n't exist\b|\bno such\b|不存在/u;
/** Names another part of the request, or something that the voice will never support. */
const NAMES_OTHER =
  /\btext\b|\bcharacter|\blength\b|\btoo long\b|\bemotion|\bstyle\b|\binstruction|\blanguage|\bformat|\bspeed\b|\bpitch\b|\bvolume\b|\bengine|\blatency\b|support|\bwork with\b|\bbody\b|\brequired\b|\bmissing\b|文本|情感|语言|格式|不支持/u;
/** The name of a service, not a part of the request. */
const SERVICE = /text[ -]to[ -]speech/gu;

/**
 * Whether a refusal may be about a voice that is not ready. Only a 4xx counts, because it charges nothing. A refusal
 * without words does not count: it may come from a gateway after the API accepted the request, which must not be
 * repeated.
 */
export function maySayUnready({ class: refusal, status = 0, message }: Failure): boolean {
  if (refusal !== 'BadRequest' || status < 400 || status > 499) return false;
  const words = wordsOf(message);
  if (NOT_READY.test(words)) return true;
  return (NAMES_VOICE.test(words) || NOT_FOUND.test(words)) && !NAMES_OTHER.test(words);
}

/** Returns the API's own words in a failure's message (after request and status), in lower case, codes split up. */
function wordsOf(message: string): string {
  const [, ...said] = message.split(' – ');
  return said.join(' – ').toLowerCase().replaceAll('_', ' ').replace(SERVICE, '').trim();
}

/**
 * Whether an earlier attempt of a take may have been accepted although it was refused, so that a 409 may refer to that
 * attempt. A refusal because of the voice is certain, so after it, a 409 is about the voice again.
 */
export function mayBeTaken(
  attempts: readonly Omit<EarlierAttempt, 'state'>[],
  { step, take }: Pick<EarlierAttempt, 'step' | 'take'>,
): boolean {
  return attempts.some((one) => one.step === step && one.take === take && one.failure?.class !== 'BadRequest');
}
