import type { SplitMode } from '../contract/split-modes.ts';

/**
 * Cuts a long text into parts that the API accepts, where a reader would pause: between paragraphs or sentences, and only if one of
 * those is too long by itself between clauses, between words, or at worst between the characters of one word.
 *
 * The parts are the text, in order: nothing is added, and only white space at the cuts is left out.
 */

export interface SplitRules {
  readonly by: SplitMode;
  /** Max length of a part, in UTF-16 code units, of which every character has one or two. */
  readonly limit: number;
  /** The language of the text, in any words (`en`, `pt-BR`). Default, and where it is no language tag: the rules for all languages. */
  readonly language?: string | undefined;
}

/** Why a text can't be cut. `markup`: a cut could fall between two tags. `character`: one character alone is too long. */
export type Uncut = 'markup' | 'character';

export type SplitText =
  { readonly type: 'parts'; readonly parts: readonly string[] } | { readonly type: 'refused'; readonly why: Uncut };

/** Cuts a text. One that is within the limit is its only part, unchanged. */
export function splitText(text: string, rules: SplitRules): SplitText {
  const { by, limit } = rules;
  if (text.length <= limit) return { type: 'parts', parts: [text] };
  if (MARKUP.test(text)) return { type: 'refused', why: 'markup' };
  const cutters = cuttersFor(rules.language);
  const paragraphs = by === 'paragraphs' ? cutAfter(text, PARAGRAPH_END) : [text];
  const parts = paragraphs.flatMap((paragraph) => pack(paragraph, limit, cutters));
  if (parts.some((part) => part.length > limit)) return { type: 'refused', why: 'character' };
  return { type: 'parts', parts };
}

/** Tags of a speech markup language. */
const MARKUP =
  /<\/?\s*(?:speak|break|prosody|voice|phoneme|say-as|emphasis|sub|audio|mark|lang|p|s|w)(?:\s[^<>]*)?\/?>/iu;
/** A blank line, or several. */
const PARAGRAPH_END = /(?:\r\n|\n|\r(?!\n))[^\S\r\n]*(?:\r\n|\n|\r(?!\n))\s*/gu;
/** Punctuation inside of a sentence: Latin marks only before white space, because `1,000` has one too. */
const CLAUSE_END = /(?:[,;:–—](?=\s)|[、，；：،؛]|[\r\n])+\s*/gu;

/** Cuts a text into units that are the text if put together. */
type Cutter = (text: string) => readonly string[];

/** From the largest units to the smallest. */
function cuttersFor(language: string | undefined): readonly Cutter[] {
  const segmenter = (granularity: 'sentence' | 'word' | 'grapheme'): Intl.Segmenter =>
    new Intl.Segmenter(tagOf(language), { granularity });
  return [
    (text) => joinAbbreviations(segmentsOf(segmenter('sentence'), text)),
    (text) => cutAfter(text, CLAUSE_END),
    (text) => joinPunctuation(segmenter('word').segment(text)),
    (text) => segmentsOf(segmenter('grapheme'), text),
  ];
}

/** As many units a part as fit; a unit that is too long is cut into the next smaller ones. */
function pack(text: string, limit: number, [cut, ...finer]: readonly Cutter[]): string[] {
  if (cut === undefined || text.trim().length <= limit) return nonEmpty(text);
  const parts: string[] = [];
  let part = '';
  for (const unit of cut(text)) {
    if ((part + unit).trim().length <= limit) {
      part += unit;
      continue;
    }
    parts.push(...nonEmpty(part));
    part = unit;
    if (unit.trim().length <= limit) continue;
    parts.push(...pack(unit, limit, finer));
    part = '';
  }
  return [...parts, ...nonEmpty(part)];
}

function nonEmpty(part: string): string[] {
  const text = part.trim();
  return text === '' ? [] : [text];
}

function segmentsOf(segmenter: Intl.Segmenter, text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function cutAfter(text: string, end: RegExp): string[] {
  const units: string[] = [];
  let from = 0;
  for (const { index, 0: found } of text.matchAll(end)) {
    units.push(text.slice(from, index + found.length));
    from = index + found.length;
  }
  return [...units, text.slice(from)];
}

/** What a sentence seems to end with where only an abbreviation does: an initial, or one of the usual ones before a name or a number. */
const ABBREVIATION =
  /(?:^|[\s("'«„“])(?:\p{L}|mr|mrs|ms|dr|prof|st|jr|sr|rev|gen|col|capt|lt|sgt|no|nr|vol|fig|pp?|approx|vs|cf|ca|bzw|vgl|hr|fr|str|mme|mlle|sra?|dra?|ing|núm|art|av|ul|tel|e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a)\.\s*$/iu;
/** A letter that may be a word in the end of a sentence: "It was I." */
const LETTER_WORD = /\s[IiAaYyÓóOo]\.\s*$/u;

/** `Mr.` does not end a sentence, although a capital letter follows. */
function joinAbbreviations(sentences: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const sentence of sentences) {
    joined.push(isOpen ? `${joined.pop() ?? ''}${sentence}` : sentence);
    // The end decides: the whole may be long.
    const end = sentence.slice(-20);
    isOpen = ABBREVIATION.test(end) && !LETTER_WORD.test(end) && !/[\r\n]\s*$/u.test(end);
  }
  return joined;
}

/** Words with the punctuation and the white space that belongs to them: no part begins with a comma, or ends with a bracket that opens. */
function joinPunctuation(segments: Intl.Segments): readonly string[] {
  const units: string[] = [];
  let opening = '';
  for (const { segment, isWordLike } of segments) {
    if (isWordLike === true || units.length === 0) {
      units.push(opening + segment);
      opening = '';
    } else if (opening !== '' || /^[\p{Ps}\p{Pi}¿¡]/u.test(segment) || isOpeningQuote(segment, units))
      opening += segment;
    else units.push(`${units.pop() ?? ''}${segment}`);
  }
  return opening === '' ? units : [...units, opening];
}

/** A straight quote opens after white space, and closes otherwise. */
function isOpeningQuote(segment: string, units: readonly string[]): boolean {
  return /^["']/u.test(segment) && /\s$/u.test(units.at(-1) ?? '');
}

/** A language tag for `Intl`; `und` has the rules for all languages. */
function tagOf(language: string | undefined): string {
  try {
    return Intl.getCanonicalLocales(language ?? 'und')[0] ?? 'und';
  } catch {
    return 'und';
  }
}
