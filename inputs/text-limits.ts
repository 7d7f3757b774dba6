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

/** How overlong texts are handled. */
export interface TextRules {
  readonly tts: TtsMode;
  /** `--split`. By default they are refused. */
  readonly split?: SplitMode;
  /** Known limits. Default: none. */
  readonly textLimits?: TextLimits;
}

/** A text that fits (`parts` empty), its parts, or why it cannot be sent. */
export type FittedText = { readonly parts: readonly string[] } | { readonly finding: Omit<Finding, 'column'> };

const WHOLE: FittedText = { parts: [] };

/** Checks a row's text against the API's limits, and splits it if requested. */
export function fitText(spec: RowSpec, { tts, split, textLimits = {} }: TextRules): FittedText {
  const { kind, text, language } = spec;
  if (text === undefined) return WHOLE;
  const step = stepsIn(spec).find((one) => columnsReadBy(kind, one).includes('text'));
  if (step === undefined) return WHOLE;
  const known = textLimits[operationOf(spec, step, tts)];
  const isSplit = split !== undefined && canBeSplit(spec);
  const limit = known ?? (isSplit ? { most: ASSUMED_TEXT_LIMIT } : undefined);
  if (limit === undefined || text.length <= limit.most || (!isSplit && isDoubtful(limit))) return WHOLE;
  const got = `${text.length} characters`;
  const expected = `a text of at most ${limit.most} characters${saidBy(known)}`;
  if (!isSplit) return { finding: { expected: `${expected}${adviceFor(spec)}`, got, code: 'text-too-long' } };
  const cut = splitText(text, { by: split, limit: limit.most, language });
  if (cut.type === 'parts') return { parts: cut.parts };
  return { finding: { expected: `${expected}, because ${WHY_UNCUT[cut.why]}`, got, code: 'text-too-long' } };
}

/**
 * A limit that is unusually low, old, or dated in the future must not block texts, because then nothing would ever
 * correct it.
 */
function isDoubtful({ most, learntAt }: TextLimit): boolean {
  if (learntAt === undefined) return false;
  const age = Date.now() - learntAt;
  return most < MIN_TRUSTED_TEXT_LIMIT || age < 0 || age > LEARNT_LIMIT_TTL_MS;
}

function saidBy(limit: TextLimit | undefined): string {
  if (limit?.learntAt === undefined) return ' (textLimit)';
  return ` (learnt on ${new Date(limit.learntAt).toISOString().slice(0, 10)} from a refusal of the API)`;
}

function adviceFor(spec: RowSpec): string {
  return canBeSplit(spec) ? '; add --split sentences' : `; ${spec.kind} rows cannot be split`;
}

const WHY_UNCUT: Readonly<Record<Uncut, string>> = {
  markup: 'a text with markup for speech cannot be cut',
  character: 'a single character of it is longer',
};
