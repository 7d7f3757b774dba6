import type { Failure } from './failures.ts';
import type { Operation } from './operations.ts';
import { resultOf, stepsIn, type Kind } from './row-kinds.ts';

/** Longest cell of a manifest, in bytes. */
export const MAX_CELL_BYTES = 1024 * 1024;

/** The longest text that an operation accepts. */
export interface TextLimit {
  /** In UTF-16 code units, one or two per character. */
  readonly most: number;
  /** When a refusal of the API revealed it, in ms. Absent if it is configured. */
  readonly learntAt?: number;
}

/** The known limits, by operation. */
export type TextLimits = { readonly [O in Operation]?: TextLimit };

/** Max length of a part when no limit is known: a guess that most engines accept. */
export const ASSUMED_TEXT_LIMIT = 2_000;

/** A learnt limit below this may be a misread refusal. Texts are split by it, but not refused for it. */
export const MIN_TRUSTED_TEXT_LIMIT = 500;

/**
 * How long a learnt limit is enforced, in ms. After that, the API is asked again at no charge, because it may accept
 * longer texts by now.
 */
export const LEARNT_LIMIT_TTL_MS = 30 * 86_400_000;

/** `Failure.cause` of a request that the API refused because its text is too long. */
export const TEXT_TOO_LONG = 'the text is too long';

/**
 * Whether the text of such a row may be split into parts. Only speech that is the row's own result can be joined from
 * parts; in a chain (`dub`), the next step needs one link to the whole speech.
 */
export function canBeSplit({ kind }: { readonly kind: Kind }): boolean {
  return stepsIn({ kind }).length === 1 && resultOf(kind) === 'audio';
}

/** Whether a row failed because its text is too long, and splitting it would help. */
export function failedAsTooLong({
  spec,
  failure,
}: {
  readonly spec: { readonly kind: Kind };
  readonly failure: Failure | null;
}): boolean {
  return failure?.class === 'BadRequest' && failure.cause === TEXT_TOO_LONG && canBeSplit(spec);
}

/**
 * The API's limits for voice samples. Its documentation states none; these come from one public client, which may have
 * taken them from the API, so they are configurable (`samples` in the config file).
 */
export interface SampleLimits {
  /** Max files per voice. */
  readonly files: number;
  /** Largest file, in bytes. */
  readonly bytes: number;
  /** Max total length of a voice's recordings, in seconds. */
  readonly seconds: number;
}

/** The limits where the config file sets none. */
export const SAMPLE_LIMITS: SampleLimits = { files: 5, bytes: 4_500_000, seconds: 60 };
