import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import type { SplitMode } from '../../../contract/row-parts.ts';
import { splitText } from '../../../policy/parts/split-text.ts';

function partsOf(text: string, limit: number, by: SplitMode = 'sentences', language?: string): readonly string[] {
  const split = splitText(text, { by, limit, language });
  if (split.type === 'refused') throw new Error(`Expected parts, got a refusal: ${split.why}.`);
  return split.parts;
}

/** Whether the parts are the text, in order, with nothing but white space between them. */
function isTheText(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0 || text.slice(at, found).trim() !== '') return false;
    at = found + part.length;
  }
  return text.slice(at).trim() === '';
}

const PIECES = [
  'The house stood empty. ',
  'Mr. Smith paid 1,234.56 credits, i.e. too much; he knew! ',
  '「こんにちは」と彼は言った。',
  '他说：“你好，世界！”然后走了。',
  'ภาษาไทยไม่มีช่องว่างระหว่างคำ ',
  'ذهب الولد إلى المدرسة، ثم عاد. ',
  '👨‍👩‍👧‍👦🇩🇪é',
  '\r\n\r\n',
  '\n \n',
  '\n',
  '   ',
  'Donaudampfschifffahrtsgesellschaftskapitän',
  'x'.repeat(70),
  '(so it is) ',
];
const texts = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);
const modes = fc.constantFrom<SplitMode>('sentences', 'paragraphs');
const languages = fc.constantFrom(undefined, 'en', 'de', 'zh', 'ja', 'th', 'ar', 'no language');

describe('any text', () => {
  test('is its parts, in order, with nothing but white space between them, and none is empty or over the limit', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 30, max: 200 }), modes, languages, (text, limit, by, language) => {
        const split = splitText(text, { by, limit, language });
        // It is cut in the same way each time.
        expect(splitText(text, { by, limit, language })).toEqual(split);
        if (split.type === 'refused') return;
        expect(isTheText(text, split.parts)).toBe(true);
        for (const part of split.parts) expect(part.length).toBeLessThanOrEqual(limit);
        if (text.length > limit) for (const part of split.parts) expect(part.trim()).not.toBe('');
      }),
    );
  });

  test('is never cut inside a character, however many code points it has', () => {
    const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
    const starts = (text: string): Set<number> => new Set(Array.from(graphemes.segment(text), ({ index }) => index));
    fc.assert(
      fc.property(texts, fc.integer({ min: 30, max: 90 }), modes, (text, limit, by) => {
        const split = splitText(text, { by, limit });
        if (split.type === 'refused') return;
        const allowed = starts(text).add(0);
        let at = 0;
        for (const part of split.parts) {
          const found = text.indexOf(part, at);
          // A mark on white space is cut off from it.
          expect(allowed.has(found) || /\s/u.test(text[found - 1] ?? '')).toBe(true);
          at = found + part.length;
        }
      }),
    );
  });
});

describe('sentences', () => {
  test('fill each part, across paragraphs', () => {
    const text = 'One is here. Two is here.\n\nThree is here. Four is here.';
    expect(partsOf(text, 42)).toEqual(['One is here. Two is here.\n\nThree is here.', 'Four is here.']);
  });

  test('do not end after an abbreviation, an initial or inside a number', () => {
    const text = 'He met Mr. Brown and J. R. Ewing there. It cost 3.14 or 1,000.50 in all. The end is near.';
    const sentences = ['He met Mr. Brown and J. R. Ewing there.', 'It cost 3.14 or 1,000.50 in all.'];
    expect(partsOf(text, 45)).toEqual([...sentences, 'The end is near.']);
    const german = ['Er sah z. B. Dr. Meier und Hr. Schmidt.', 'Danach ging er heim.'];
    expect(partsOf(german.join(' '), 41, 'sentences', 'de')).toEqual(german);
  });
});

describe('paragraphs', () => {
  test('are a part each, whatever ends their lines, and empty ones are none', () => {
    const text = 'First one.\r\n\r\nSecond one,\r\nin two lines.\n\n\n \n\nThird one.';
    expect(partsOf(text, 40, 'paragraphs')).toEqual(['First one.', 'Second one,\r\nin two lines.', 'Third one.']);
  });

  test('over the limit are cut into sentences, and the others stay whole', () => {
    const long = ['This is a sentence.', 'This is another one.', 'And a third.'];
    const text = ['Short.', long.join(' '), 'The end.'].join('\n\n');
    expect(partsOf(text, 30, 'paragraphs')).toEqual(['Short.', ...long, 'The end.']);
  });

  test('that were not edited have the same parts as before', () => {
    const text = Array.from({ length: 9 }, (_, n) => `Paragraph ${n} is here. It has two sentences.`);
    const before = partsOf(text.join('\n\n'), 60, 'paragraphs');
    const after = partsOf(text.with(2, 'Quite another one.').join('\n\n'), 60, 'paragraphs');
    expect(after.filter((part) => !before.includes(part))).toEqual(['Quite another one.']);
  });
});

describe('a sentence over the limit', () => {
  test('is cut after its clauses', () => {
    const clauses = ['When the rain came,', 'they ran home; nobody,', 'it seems, was wet.'];
    expect(partsOf(clauses.join(' '), 30)).toEqual(clauses);
  });

  test('without clauses is cut between words, with their punctuation', () => {
    const words = ['one two three', '(four five)', '"six seven"', 'eight nine ten'];
    expect(partsOf(words.join(' '), 14)).toEqual(words);
  });

  test('in a script without spaces is cut between words of its dictionary', () => {
    const text = 'ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำ';
    const words = [...new Intl.Segmenter('th', { granularity: 'word' }).segment(text)].map(({ segment }) => segment);
    let at = 0;
    const ends = new Set(words.map((word) => (at += word.length)));
    let end = 0;
    for (const part of partsOf(text, 12, 'sentences', 'th')) expect(ends.has((end += part.length))).toBe(true);
  });
});

describe('what cannot be cut', () => {
  test('is a text with markup for speech, if it is too long', () => {
    const text = '<speak>Hello <break time="1s"/> there. And so on.</speak>';
    expect(splitText(text, { by: 'sentences', limit: 20 })).toEqual({ type: 'refused', why: 'markup' });
    expect(partsOf(text, 100)).toEqual([text]);
    expect(partsOf('If a < b and c > d, then a is small. All is well here.', 40)).toHaveLength(2);
  });

  test('is a single character that is too long', () => {
    const text = `e${'\u0301'.repeat(40)}`;
    expect(splitText(text, { by: 'sentences', limit: 20 })).toEqual({ type: 'refused', why: 'character' });
  });
});

test('a book is cut in no time worth speaking of', () => {
  const book = 'It was a bright cold day in April, and the clocks were striking thirteen. '.repeat(2_700);
  expect(partsOf(book, 2_000)).toHaveLength(100);
});
