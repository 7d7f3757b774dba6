/**
 * Words as they are compared with what a recogniser heard: without case, punctuation, diacritics and apostrophes, which
 * recognisers write as they like. A script without spaces between words is compared by its characters.
 *
 * What is not spoken is left out: tags (`<break/>`), and directions in square brackets (`[laughs]`).
 */
export function spokenWords(text: string): readonly string[] {
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
