import type { Draw } from './draw.ts';
import { Refusal } from './refusals.ts';
import type { Variant } from './shapes.ts';

/** Possible wordings for a text that is too long. None is published; the last one states no number. */
const WORDS: Readonly<Record<Variant<'text.limit'>, (limit: number, length: number) => string>> = {
  'at-most': (limit) => `text must be at most ${limit} characters`,
  max: (limit) => `Text too long (max ${limit})`,
  exceeds: (limit, length) =>
    `The text has ${length} characters and exceeds the limit of ${limit.toLocaleString('en')}`,
  contains: (limit) => `String must contain at most ${limit} character(s)`,
  vague: () => 'The text is too long',
};

/** Refuses a text above the limit, if there is one. */
export function checkTextLength(text: string, limit: number | null, draw: () => Draw): void {
  if (limit === null || text.length <= limit) return;
  throw new Refusal(400, 'ERR_TEXT_TOO_LONG', WORDS[draw().shape('text.limit')](limit, text.length));
}
