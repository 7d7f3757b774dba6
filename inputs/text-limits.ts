import {
  ASSUMED_TEXT_LIMIT,
  canBeSplit,
  MIN_TRUSTED_TEXT_LIMIT,
  LEARNT_LIMIT_TTL_MS,
  type TextLimit,
  type TextLimits,
} from '../contract/api-limits.ts';
import { columnsReadBy, operationOf, stepsIn, type RowSpec, type TtsMode } from '../contract/row-kinds.ts';
import type { SplitMode } from '../contract/row-parts.ts';
import { splitText, type Uncut } from '../policy/parts/split-text.ts';
import type { Finding } from '../contract/manifest-problems.ts';

/** How texts over the limit are handled. */
export interface TextRules {
  readonly tts: TtsMode;
  /** `--split`: how they are split. By default they are refused. */
  readonly split?: SplitMode;
  /** Known limits, by operation. Default: none. */
  readonly textLimits?: TextLimits;
}

/** The parts of a split text; none if the text fits; or why it cannot be sent. */
export type FittedText = { readonly parts: readonly string[] } | { readonly finding: Omit<Finding, 'column'> };

/** The text fits. */
const FITS: FittedText = { parts: [] };

/**
 * Checks a row's text against the API's limit of characters, and splits it if requested. The limit is configured
 * (`textLimit`), learnt from earlier refusals, or assumed for rows to be split.
 */
export function fitText(spec: RowSpec, { tts, split, textLimits = {} }: TextRules): FittedText {
  const { kind, text, language } = spec;
  if (text === undefined) return FITS;
  // The step that sends the text.
  const step = stepsIn(spec).find((one) => columnsReadBy(kind, one).includes('text'));
  if (step === undefined) return FITS;
  const known = textLimits[operationOf(spec, step, tts)];
  const isSplit = split !== undefined && canBeSplit(spec);
  const limit = known ?? (isSplit ? { most: ASSUMED_TEXT_LIMIT } : undefined);
  if (limit === undefined || text.length <= limit.most || (!isSplit && isDoubtful(limit))) return FITS;
  const got = `${text.length} characters`;
  const expected = `a text of at most ${limit.most} characters${sourceOf(known)}`;
  if (!isSplit) return { finding: { expected: `${expected}${adviceFor(spec)}`, got, code: 'text-too-long' } };
  const cut = splitText(text, { by: split, limit: limit.most, language });
  if (cut.type === 'parts') return { parts: cut.parts };
  return { finding: { expected: `${expected}, because ${WHY_UNCUT[cut.why]}`, got, code: 'text-too-long' } };
}

/**
 * Whether a learnt limit is unusually low, old, or dated in the future. It must not block texts, because no request
 * would ever correct it then.
 */
function isDoubtful({ most, learntAt }: TextLimit): boolean {
  if (learntAt === undefined) return false;
  const age = Date.now() - learntAt;
  return most < MIN_TRUSTED_TEXT_LIMIT || age < 0 || age > LEARNT_LIMIT_TTL_MS;
}

/** Says where a limit comes from. */
function sourceOf(limit: TextLimit | undefined): string {
  if (limit?.learntAt === undefined) return ' (textLimit)';
  return ` (learnt on ${new Date(limit.learntAt).toISOString().slice(0, 10)} from a refusal of the API)`;
}

/** Says what to do about an overlong text. */
function adviceFor(spec: RowSpec): string {
  return canBeSplit(spec) ? '; add --split sentences' : `; ${spec.kind} rows cannot be split`;
}

/** Why a text cannot be split. */
const WHY_UNCUT: Readonly<Record<Uncut, string>> = {
  markup: 'a text with markup for speech cannot be cut',
  character: 'a single character of it is longer',
};
