import { orElse } from '../../contract/or-else.ts';
import type { SplitMode } from '../../contract/row-parts.ts';

/**
 * Splits a long text into parts that the API accepts, where a reader would pause: between paragraphs or sentences, or,
 * if a single one is too long, between clauses, between words, or at worst within a word.
 *
 * The parts add up to the text, in order: nothing is added, and only white space at the cuts is dropped.
 */

export interface SplitRules {
  readonly by: SplitMode;
  /** Max length of a part, in UTF-16 code units (one or two per character). */
  readonly limit: number;
  /**
   * The text's language (`en`, `pt-BR`). Without one, or if it is not a language tag, language-independent rules apply.
   */
  readonly language?: string | undefined;
}

/**
 * Why a text can't be cut. `markup`: a cut could fall between two tags. `character`: one character alone is too long.
 */
export type Uncut = 'markup' | 'character';

/** A text's parts in order, none longer than the limit; or why it is not split. */
export type SplitText =
  { readonly type: 'parts'; readonly parts: readonly string[] } | { readonly type: 'refused'; readonly why: Uncut };

/** Splits a text. A text within the limit is returned unchanged as its only part. */
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

/** Cuts a text into units that concatenate to the text. */
type Cutter = (text: string) => Iterable<string>;

/** From the largest units to the smallest. */
function cuttersFor(language: string | undefined): readonly Cutter[] {
  const segmenter = (granularity: 'sentence' | 'word' | 'grapheme'): Intl.Segmenter =>
    new Intl.Segmenter(tagOf(language), { granularity });
  return [
    (text) => joinAbbreviations(segmentsOf(segmenter('sentence'), text)),
    (text) => cutAfter(text, CLAUSE_END),
    (text) => joinPunctuation(segmentsOf(segmenter('word'), text)),
    (text) => charactersOf(segmentsOf(segmenter('grapheme'), text)),
  ];
}

/**
 * Packs as many units into each part as fit; a unit that is too long is cut into the next smaller kind. White space
 * around a part does not count.
 */
function pack(text: string, limit: number, [cut, ...finer]: readonly Cutter[]): readonly string[] {
  const whole = text.trim();
  if (whole === '') return [];
  if (cut === undefined || whole.length <= limit) return [whole];
  const parts: string[][] = [];
  // The part's position in the text. Concatenating it anew for each unit would cost its length each time.
  let part: { readonly from: number; readonly to: number } | undefined;
  const endPart = (): void => {
    if (part !== undefined) parts.push([text.slice(part.from, part.to)]);
    part = undefined;
  };
  let at = 0;
  for (const unit of cut(text)) {
    const from = at + unit.length - unit.trimStart().length;
    const to = at + unit.trimEnd().length;
    at += unit.length;
    if (from >= to) continue;
    if (part !== undefined && to - part.from > limit) endPart();
    if (to - from > limit) parts.push([...pack(unit, limit, finer)]);
    else part = { from: part?.from ?? from, to };
  }
  endPart();
  return parts.flat();
}

function* charactersOf(segments: Iterable<Intl.SegmentData>): Generator<string, void, undefined> {
  for (const { segment } of segments) yield segment;
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

/** Abbreviations that look like the end of a sentence: initials, and the usual ones before a name or number. */
const ABBREVIATION =
  /(?:^|[\s("'«„“])(?:\p{L}|mr|mrs|ms|dr|prof|st|jr|sr|rev|gen|col|capt|lt|sgt|no|nr|vol|fig|pp?|approx|vs|cf|ca|bzw|vgl|hr|fr|str|mme|mlle|sra?|dra?|ing|núm|art|av|ul|tel|e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a)\.\s*$/iu;
/** A letter that may be the last word of a sentence: "It was I." */
const LETTER_WORD = /\s[IiAaYyÓóOo]\.\s*$/u;

/** `Mr.` does not end a sentence, although a capital letter follows. */
function joinAbbreviations(sentences: Iterable<Intl.SegmentData>): readonly string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const { segment: sentence } of sentences) {
    joined.push(isOpen ? `${joined.pop() ?? ''}${sentence}` : sentence);
    // Only test the end: the sentence may be long.
    const end = sentence.slice(-20);
    isOpen = ABBREVIATION.test(end) && !LETTER_WORD.test(end) && !/[\r\n]/u.test(end.slice(end.trimEnd().length));
  }
  return joined;
}

/**
 * Joins words with their punctuation and white space, so that no part begins with a comma or ends with an opening
 * bracket.
 */
function joinPunctuation(segments: Iterable<Intl.SegmentData>): readonly string[] {
  const units: string[] = [];
  let opening = '';
  let last = '';
  for (const { segment, isWordLike } of segments) {
    if (isWordLike === true || units.length === 0) {
      units.push(opening + segment);
      opening = '';
    } else if (opening !== '' || /^[\p{Ps}\p{Pi}¿¡]/u.test(segment) || isOpeningQuote(segment, last))
      opening += segment;
    else units.push(`${units.pop() ?? ''}${segment}`);
    last = segment;
  }
  return opening === '' ? units : [...units, opening];
}

/** A straight quote opens after white space, and closes otherwise. */
function isOpeningQuote(segment: string, last: string): boolean {
  return /^["']/u.test(segment) && /\s$/u.test(last);
}

/** A language tag for `Intl`; `und` has the rules for all languages. */
function tagOf(language: string | undefined): string {
  return orElse(() => Intl.getCanonicalLocales(language ?? 'und')[0] ?? 'und', 'und');
}

/** Code units segmented at a time. The cost of a step of `Intl.Segmenter` grows with the length of its string. */
const WINDOW = 512;
/** Code units before the end of a window where a boundary may still depend on what follows it. */
const LOOKAHEAD = 64;

/**
 * The segments of a text, which concatenate to the text, in linear time. The text is segmented in windows that begin at
 * a boundary; a segment longer than a window gets a larger one.
 */
export function* segmentsOf(segmenter: Intl.Segmenter, text: string): Generator<Intl.SegmentData, void, undefined> {
  let from = 0;
  let size = WINDOW;
  while (from < text.length) {
    const isLast = from + size >= text.length;
    const decided = isLast ? size : size - LOOKAHEAD;
    let end = 0;
    for (const found of segmenter.segment(text.slice(from, from + size))) {
      if (end + found.segment.length > decided) break;
      end += found.segment.length;
      yield found;
      if (size > WINDOW) break;
    }
    from += end;
    size = end === 0 ? size * 2 : WINDOW;
  }
}
