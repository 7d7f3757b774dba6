import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { fileWord, quoted, shellWord } from '../../contract/shell-word.ts';

it.each(['plain', '', 'two words', "it's", '"quoted" $HOME `id`', 'a\\b', '*', '~', 'a\nb', '-n; rm -rf x'])(
  'a shell reads it as the word that it was: %j',
  (word) => {
    for (const written of [shellWord(word), quoted(word)]) {
      expect(execFileSync('sh', ['-c', `printf %s. ${written}`], { encoding: 'utf8' })).toBe(`${word}.`);
    }
  },
);

it('stays as it is where it needs no quotes', () => {
  expect(shellWord('/home/me/lines-2.csv')).toBe('/home/me/lines-2.csv');
});

it.each([
  ['lines.csv', 'lines.csv'],
  ['-', './-'],
  ['--on-end=x.csv', './--on-end=x.csv'],
  ['-a b.csv', "'./-a b.csv'"],
])('as a file, %s is no flag: %s', (path, expected) => expect(fileWord(path)).toBe(expected));
