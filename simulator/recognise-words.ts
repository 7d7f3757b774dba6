import { hashOf } from './draw.ts';

/**
 * Returns a transcript of a text as a speech recogniser writes it. The words are right, but in typical recogniser
 * style: depending on the text without case or punctuation, with some homophones, and with some numbers as words.
 */
export function recogniseWords(text: string): string {
  if (text.trim() === '') return '';
  const style = hashOf(text, 'style') % 3;
  const spoken =
    style === 0 ? text : text.replace(/(?<![\p{P}\p{S}])[\p{P}\p{S}]+(?=\s|$)|(?<=^|\s)[\p{P}\p{S}]+/gu, '');
  const words = (style === 2 ? spoken.toLowerCase() : spoken).split(/(\s+)/);
  return words.map((word, at) => (hashOf(text, at, 'word') % 12 === 0 ? otherSpelling(word) : word)).join('');
}

/** Words and what a recogniser may write for them. */
const HOMOPHONES: Readonly<Record<string, string>> = {
  their: 'there',
  there: 'their',
  to: 'too',
  too: 'to',
  two: '2',
  three: '3',
  ten: '10',
  its: "it's",
  write: 'right',
  knight: 'night',
  weather: 'whether',
  sea: 'see',
  hour: 'our',
  cannot: 'can not',
  okay: 'OK',
  das: 'dass',
  seid: 'seit',
  et: 'est',
  mais: 'mes',
};

const NUMBER_WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** Returns another spelling of a word: a number as a word, a homophone, or without accents. */
function otherSpelling(word: string): string {
  const number = /^\d{1,2}$/.test(word) ? NUMBER_WORDS[Number(word)] : undefined;
  return number ?? HOMOPHONES[word.toLowerCase()] ?? word.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');
}
