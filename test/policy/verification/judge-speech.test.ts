import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgeSpeech } from '../../../policy/verification/judge-speech.ts';

const judge = (text: string, heard: string, threshold = 0.25): ReturnType<typeof judgeSpeech> =>
  judgeSpeech({ text, threshold }, { text: heard });

const WORDS = ['harbour', 'quiet', 'boat', 'night', 'garden', 'window', 'letter', 'morning', 'river', 'stone'];
const sentence = fc
  .array(fc.constantFrom(...WORDS), { minLength: 8, maxLength: 12 })
  .map((words) => `${words.join(' ')}.`);
const story = fc.array(sentence, { minLength: 3, maxLength: 12 });

const TEXT_OF_TEN = 'one bird two dogs a fine cat and other animals';

describe('speech that says its text', () => {
  it.each([
    ['Their knight rode by.', 'there night rode by'],
    ["I don't know, it's 234.50 dollars!", 'i do not know its two hundred thirty four dollars and fifty cents'],
    ['On 3/4/2026 at 5:30 p.m. we met.', 'on march fourth twenty twenty six at five thirty pm we met'],
    ['We have three cats and twelve dogs.', 'We have 3 cats and 12 dogs'],
    ['Die Straße ist für Äpfel und Eiscreme.', 'die strasse ist fur apfel und eis creme'],
    ["L'été, c'est l'heure où l’on dort.", 'lété cest lheure ou lon dort'],
    ['¿Dónde está el niño?', 'donde esta el nino'],
    ['今日はとても良い天気ですね。', '今日はとてもいい天気ですね'],
    ['我们明天上午去看电影。', '我们明天上午去看电影'],
    ['สวัสดีครับ วันนี้อากาศดีมาก', 'สวัสดีครับวันนี้อากาศดีมาก'],
    ['안녕하세요, 반갑습니다.', '안녕하세요 반갑습니다'],
    ['Привет! Как дела, Пётр?', 'привет как дела петр'],
    ['السَّلامُ عَلَيْكُم', 'السلام عليكم'],
    ['[laughs] Well <break time="1s"/> hello there, everyone.', 'well hello there everyone'],
    ['Hello Siobhan', 'hello chevron'],
    ['Hi!', 'high'],
    ['The U.S. economy', 'the us economy'],
  ])('%s, heard as %s, passes', (text, heard) => expect(judge(text, heard)).toMatchObject({ is: 'passed' }));

  it('passes however it is written, and with a word wrong here and there', () => {
    fc.assert(
      fc.property(story, fc.boolean(), fc.nat(), (sentences, isUpper, seed) => {
        const text = sentences.join(' ');
        const words = text.split(' ').map((word, at) => ((at + seed) % 9 === 0 ? 'something' : word));
        const heard = words.join('  ').replaceAll('.', isUpper ? '' : ' ...');
        expect(judge(text, isUpper ? heard.toUpperCase() : heard)).toMatchObject({ is: 'passed' });
        expect(judge(text, text)).toMatchObject({ is: 'passed', error: 0, run: 0 });
      }),
    );
  });

  it('differs from one of megabytes, however that is made', () => {
    expect(judge(TEXT_OF_TEN, 'ab'.repeat(8_000_000))).toMatchObject({ is: 'differs', heard: 1 });
    const longer = judge(TEXT_OF_TEN, `${TEXT_OF_TEN} `.repeat(300_000), 1);
    expect(longer).toMatchObject({ is: 'differs', words: 10 });
    expect(longer.heard).toBeLessThan(10_000);
  });

  it('of many thousand words is judged part by part', () => {
    const words = Array.from(
      { length: 20_000 },
      (_, at) => `word${String.fromCharCode(97 + (at % 26), 97 + ((at * 7) % 25), 97 + ((at * 31 + (at >> 5)) % 26))}`,
    );
    const heard = words.map((word, at) => (at % 30 === 0 ? 'other' : word));
    expect(judge(words.join(' '), heard.join(' '))).toMatchObject({ is: 'passed' });
    const cut = heard.toSpliced(9_000, 20);
    expect(judge(words.join(' '), cut.join(' '))).toMatchObject({ is: 'differs' });
  });
});

describe('speech that says something else', () => {
  it.each([
    ['Good morning to all of you.', 'The train leaves at nine from platform two'],
    ['Hi', 'bye bye now'],
    ['今日はとても良い天気ですね。', '電車が遅れています'],
  ])('%s, heard as %s, does not pass', (text, heard) => expect(judge(text, heard)).toMatchObject({ is: 'differs' }));

  it('does not pass where a sentence is missing, however long the text is', () => {
    fc.assert(
      fc.property(story, fc.nat(), (sentences, nth) => {
        const marked = sentences.map((one, at) =>
          at === nth % sentences.length ? 'Nobody else ever came back from that old island.' : one,
        );
        const heard = marked.filter((_, at) => at !== nth % sentences.length).join(' ');
        expect(judge(marked.join(' '), heard)).toMatchObject({ is: 'differs' });
      }),
    );
  });

  it('does not pass where it stops half way, or goes on with other words', () => {
    fc.assert(
      fc.property(story, (sentences) => {
        const text = sentences.join(' ');
        expect(judge(text, text.slice(0, text.length / 2))).toMatchObject({ is: 'differs' });
        const longer = `${text} ${'and then they all went home singing '.repeat(3)}`;
        expect(judge(text, longer)).toMatchObject({ is: 'differs' });
      }),
    );
  });

  it('is unheard without a word, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).map((any) => `${any} word`),
        fc.constantFrom('', ' ', '...', '♪ ♪'),
        (text, heard) => {
          expect(judge(text, heard)).toMatchObject({ is: 'unheard', error: 1 });
        },
      ),
    );
  });

  it('has its errors, and ends, for any texts', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(text, text, (wanted, heard) => {
        const { error, run } = judge(wanted, heard);
        expect(error).toBeGreaterThanOrEqual(0);
        expect(run).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

it.each(['[laughs] …', '...', '', '<break time="1s"/>'])(
  '%s, a text of which nothing can be heard, passes, whatever was heard',
  (text) => {
    expect(judge(text, '')).toMatchObject({ is: 'passed', error: 0, words: 0 });
    expect(judge(text, 'ha ha')).toMatchObject({ is: 'passed' });
  },
);

describe('the language', () => {
  const judgeIn = (
    heard: string | undefined,
    asked: string | undefined,
    text: string,
  ): ReturnType<typeof judgeSpeech> =>
    judgeSpeech({ text: 'hello there', threshold: 0.25, language: asked }, { text, language: heard });
  const isOf = (heard: string | undefined, asked?: string): string => judgeIn(heard, asked, 'guten Tag zusammen').is;

  it('never fails the right words, and never passes wrong ones', () => {
    const language = fc.constantFrom('no', 'nb', 'de', 'en-US', 'zh', 'xx', 'German', '', undefined);
    fc.assert(
      fc.property(language, language, (heard, asked) => {
        expect(judgeIn(heard, asked, 'hello there')).toMatchObject({ is: 'passed', error: 0 });
        expect(isOf(heard, asked)).not.toBe('passed');
      }),
    );
  });

  it('explains why words differ where both are said, as codes', () => {
    expect(judgeIn('de', 'en-US', 'guten Tag zusammen')).toMatchObject({ is: 'other-language', language: 'de' });
    expect(isOf('deu', 'en_GB')).toBe('other-language');
    expect(isOf('en', 'en-US')).toBe('differs');
    expect(isOf('German', 'en')).toBe('differs');
    expect(isOf(undefined, 'en')).toBe('differs');
    expect(isOf('de')).toBe('differs');
  });

  it.each([
    ['nb', 'no'],
    ['nn-NO', 'nb'],
    ['iw_IL', 'he'],
    ['in', 'id'],
    ['hr', 'sr-Latn'],
    ['bs', 'hr'],
    ['yue', 'cmn'],
    ['zh-Hant-TW', 'zh'],
    ['eng', 'en'],
    ['ger', 'de'],
    ['und', 'de'],
  ])('%s is not another one than %s', (asked, heard) => {
    expect(isOf(heard, asked)).toBe('differs');
    expect(isOf(asked, heard)).toBe('differs');
  });
});
