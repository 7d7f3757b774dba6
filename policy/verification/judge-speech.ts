import { DEFAULT_THRESHOLD, type Judgement } from '../../contract/verify.ts';
import { alignWords, changesIn, join, type Stretch } from '../align-words.ts';

/**
 * Compares the transcript of generated speech with its text (`--verify`). The comparison is lenient, because a false
 * alarm costs money:
 *
 * - Misspelt words count only by how much they differ: `night` for `knight`, `icecream` for `ice cream`.
 * - A number may be heard as digits or as words, in any language, so it is not compared.
 * - In a text of two or three words, one may be wrong: names are often misheard.
 *
 * The detected language only explains why words differ: it is often wrong for short texts, and may be lost although the
 * words are kept.
 *
 * By the share of wrong words alone, a long text would pass with a sentence missing. So too many consecutive wrong
 * words also fail it.
 */
export function judgeSpeech(wanted: Wanted, heard: Heard): Judgement {
  const { threshold } = wanted;
  const words = spokenWords(wanted.text);
  const said = spokenWords(heard.text.slice(0, MAX_HEARD_FACTOR * wanted.text.length + MAX_HEARD));
  const facts = { words: words.length, heard: said.length, threshold };
  // Nothing in the text can be heard: there is nothing to compare.
  if (words.length === 0) return { is: 'passed', error: 0, run: 0, ...facts };
  if (said.length === 0) return { is: 'unheard', error: 1, run: words.length, ...facts };
  const stretches = joinAtNumbers(alignWords(words, said), words, said);
  const costs = stretches.map((stretch) => costOf(stretch, words, said));
  const wrong = costs.reduce((sum, cost) => sum + Math.max(0, cost), 0);
  const run = longestRun(costs);
  const isWrong = wrong > allowedIn(words, threshold) || run > longestAllowed(words, threshold);
  const found = { error: round(wrong / words.length), run: round(run), ...facts };
  if (!isWrong) return { is: 'passed', ...found };
  if (!isOtherLanguage(wanted.language, heard.language)) return { is: 'differs', ...found };
  return { is: 'other-language', ...found, language: heard.language ?? '' };
}

/** The intended speech. */
export interface Wanted {
  readonly text: string;
  /** The requested language; undefined for the text's own. */
  readonly language?: string | undefined;
  /** The share of words that may be wrong. */
  readonly threshold: number;
}

/** The transcript. */
export interface Heard {
  readonly text: string;
  /** The detected language, if the API reports it. */
  readonly language?: string | undefined;
}

/**
 * A transcript is cut off beyond this many times the text's length plus {@link MAX_HEARD} characters: the rest is
 * wrong in any case, and megabytes would take seconds or overflow the stack.
 */
const MAX_HEARD_FACTOR = 20;
const MAX_HEARD = 10_000;

/** Max consecutive wrong words in any text: fewer than in a short sentence. */
const MAX_RUN = 6;
/** The same where characters are compared. */
const MAX_RUN_OF_CHARACTERS = 8;

/** Returns how many words may be wrong in all; fractions count, because words may be wrong in part. */
function allowedIn(words: readonly string[], threshold: number): number {
  // Two of three letters of a lone word may be wrong.
  if (words.length === 1) return 0.67;
  return Math.max(1, threshold * words.length);
}

/** Returns the longest allowed run of wrong words, which grows in proportion to a threshold above the default. */
function longestAllowed(words: readonly string[], threshold: number): number {
  const characters = words.filter((word) => word.length === 1 && !/[\p{Script=Latin}\p{N}]/u.test(word)).length;
  return (characters * 2 > words.length ? MAX_RUN_OF_CHARACTERS : MAX_RUN) * Math.max(1, threshold / DEFAULT_THRESHOLD);
}

/**
 * Returns the number of wrong words in a differing stretch, or minus the number of words in an equal one. Differing
 * words are compared letter by letter over the whole stretch, because a recogniser may split words elsewhere.
 */
function costOf({ isEqual, first, second }: Stretch, words: readonly string[], said: readonly string[]): number {
  const wanted = words.slice(...first);
  if (isEqual) return -wanted.length;
  const heard = said.slice(...second);
  if ([...wanted, ...heard].some(isNumber)) return costAtNumbers(wanted, heard);
  const longer = Math.max(wanted.length, heard.length);
  if (wanted.length === 0 || heard.length === 0) return longer;
  const [a, b] = [wanted.join(''), heard.join('')];
  const letters = Math.max(a.length, b.length);
  const changes = changesIn(alignWords(Array.from(a), Array.from(b)));
  return Math.min(longer, (longer * changes) / letters);
}

/** Max right words between two stretches that may belong to one number: `$5.50`, heard as five dollars and fifty. */
const MAX_GAP = 2;

/** Joins stretches around a number, because a number and its unit may change places. */
function joinAtNumbers(
  stretches: readonly Stretch[],
  words: readonly string[],
  said: readonly string[],
): readonly Stretch[] {
  const joined: Stretch[] = [];
  for (const stretch of stretches) {
    const [other, gap] = [joined.at(-2), joined.at(-1)];
    const isNear = other !== undefined && gap?.isEqual === true && gap.first[1] - gap.first[0] <= MAX_GAP;
    const hasNumber = [other, stretch].some((one) => one !== undefined && holdsNumber(one, words, said));
    if (stretch.isEqual || !isNear || !hasNumber) joined.push(stretch);
    else joined.splice(-2, 2, join(other, stretch));
  }
  return joined;
}

function holdsNumber({ first, second }: Stretch, words: readonly string[], said: readonly string[]): boolean {
  return [...words.slice(...first), ...said.slice(...second)].some(isNumber);
}

const NUMBER = /^\p{N}+$/u;
/** Max words that one digit is spoken as. */
const MAX_WORDS_A_DIGIT = 3;
/** Max further words of a number: a unit, a sign, `and`. */
const MAX_WORDS_A_NUMBER = 2;

/**
 * Returns the number of wrong words in a stretch with numbers: words that only one side has, less as many as the
 * numbers of the other side may be spoken as.
 */
function costAtNumbers(wanted: readonly string[], heard: readonly string[]): number {
  const missing = countMissing(wanted, heard) - maxSpokenWords(heard);
  const added = countMissing(heard, wanted) - maxSpokenWords(wanted);
  return Math.max(0, missing, added);
}

function countMissing(words: readonly string[], others: readonly string[]): number {
  const there = new Set(others);
  return words.filter((word) => !isNumber(word) && !there.has(word)).length;
}

function isNumber(word: string): boolean {
  return NUMBER.test(word);
}

/** Returns the max number of words that the numbers among these words are spoken as. */
function maxSpokenWords(words: readonly string[]): number {
  return words
    .filter(isNumber)
    .reduce((sum, number) => sum + MAX_WORDS_A_NUMBER + MAX_WORDS_A_DIGIT * Array.from(number).length, 0);
}

/**
 * Returns the most wrong words in a run. Each right word within a run subtracts one, so a single right word does not
 * end the run.
 */
function longestRun(costs: readonly number[]): number {
  let run = 0;
  let longest = 0;
  for (const cost of costs) {
    run = Math.max(0, run + cost);
    longest = Math.max(longest, run);
  }
  return longest;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/**
 * Whether two language tags certainly name different languages. False if a tag is missing or is no code (`German`), and
 * for languages that recognisers confuse.
 */
function isOtherLanguage(asked: string | undefined, heard: string | undefined): boolean {
  const [wanted, found] = [languageOf(asked), languageOf(heard)];
  return wanted !== undefined && found !== undefined && wanted !== found;
}

/** Maps languages that recognisers confuse to one code: Norwegian, Serbo-Croatian, Chinese. */
const ALIKE: Readonly<Record<string, string>> = {
  nb: 'no',
  nn: 'no',
  bs: 'sr',
  hr: 'sr',
  cnr: 'sr',
  yue: 'zh',
  wuu: 'zh',
  nan: 'zh',
  hak: 'zh',
};

/**
 * Returns the language of a tag as one code, without region, script and obsolete names: `iw_IL` is `he`, `eng` is `en`.
 */
function languageOf(tag = ''): string | undefined {
  const code = /^([a-z]{2,3})(?:[-_]|$)/.exec(tag.toLowerCase())?.[1];
  // No language, or more than one.
  if (code === undefined || ['und', 'mul', 'mis', 'zxx'].includes(code)) return undefined;
  const { language } = new Intl.Locale(code);
  return ALIKE[language] ?? language;
}

/**
 * Splits a text into words for the comparison: without case, punctuation, diacritics and apostrophes, which recognisers
 * write inconsistently. A script without spaces between words is split into characters.
 *
 * Unspoken text is left out: tags (`<break/>`), and directions in square brackets (`[laughs]`).
 */
function spokenWords(text: string): readonly string[] {
  const bare = text.replace(UNSPOKEN, ' ').normalize('NFKD').replace(MARKS, '').normalize('NFC').toLowerCase();
  const plain = bare
    .replace(JOINERS, '')
    .replace(DIGIT_GROUPS, '')
    .replace(LETTERS, (letter) => PLAIN[letter] ?? letter);
  return plain.match(WORDS) ?? [];
}

/** A tag, or a direction; neither spans more than a few words, so a lone bracket hides nothing. */
const UNSPOKEN = /<\/?[a-z][^<>]{0,200}>|\[[^[\]]{0,60}\]/giu;
const MARKS = /\p{M}/gu;
/** Within a word: apostrophes of any kind, soft hyphens, zero-width characters, the dots of `p.m.` */
const JOINERS =
  /(?<=[\p{L}\p{N}])['’‘ʼ`´\u00AD\u200B-\u200D\uFEFF](?=[\p{L}\p{N}])|[\u00AD\u200B-\u200D\uFEFF]|(?<=(?<!\p{L})\p{L})\.(?=\p{L}(?!\p{L}))/gu;
/** `1,234` and `1 234` are one number. */
const DIGIT_GROUPS = /(?<=\p{N})[,.\u00A0\u202F' ](?=\p{N}{3}(?!\p{N}))/gu;
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ٱ: 'ا',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ى: 'ي',
  ة: 'ه',
};
const LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');
/** A character of a script without spaces between words, or the longest word of others, or a number. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`;
const WORDS = new RegExp(String.raw`[${UNSPACED}]|\p{N}+|(?:(?![${UNSPACED}])\p{L})+`, 'gu');
