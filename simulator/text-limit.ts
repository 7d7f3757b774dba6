import type { Draw } from './draw.ts';
import { Refusal } from './refusals.ts';
import type { Variant } from './shapes.ts';

/** How a service may word that a text is too long. Nothing is published; the last one names no number. */
const WORDS: Readonly<Record<Variant<'text.limit'>, (limit: number, length: number) => string>> = {
  'at-most': (limit) => `text must be at most ${limit} characters`,
  max: (limit) => `Text too long (max ${limit})`,
  exceeds: (limit, length) =>
    `The text has ${length} characters and exceeds the limit of ${limit.toLocaleString('en')}`,
  contains: (limit) => `String must contain at most ${limit} character(s)`,
  vague: () => 'The text is too long',
};

/** Throws the refusal of a text that is longer than the limit, if there is one. */
export function checkTextLength(text: string, limit: number | null, draw: () => Draw): void {
  if (limit === null || text.length <= limit) return;
  throw new Refusal(400, 'ERR_TEXT_TOO_LONG', WORDS[draw().shape('text.limit')](limit, text.length));
}
