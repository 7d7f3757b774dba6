import { describe, expect, it } from '@jest/globals';
import { TUNABLE_NAMES, TUNABLES } from '../../contract/tunables.ts';
import { formatValue } from '../../contract/value-kinds.ts';
import { flagOf } from '../../starters/terminal/tunable-words.ts';
import { PAGES, readPage } from './pages.ts';

/** "`--submits` of them (default 8)", "`--submits` is 8 by default": a default that prose states. */
const STATED = /`(--[a-z-]+)`[^`.|]*?(?:\(default (?<inBrackets>\w+)\)|is (?<byDefault>\w+) by default)/g;

interface StatedDefault {
  readonly page: string;
  readonly flag: string;
  readonly stated: string;
}

const statements = PAGES.flatMap((page): StatedDefault[] =>
  [...readPage(page).matchAll(STATED)].map(({ 1: flag = '', groups = {} }) => ({
    page,
    flag,
    stated: groups['inBrackets'] ?? groups['byDefault'] ?? '',
  })),
);

describe('defaults that prose states', () => {
  it('are those of the tunables', () => {
    const defaults = new Map(TUNABLE_NAMES.map((name) => [flagOf(name), formatValue(TUNABLES[name].default)]));
    expect(statements.filter(({ flag, stated }) => defaults.has(flag) && defaults.get(flag) !== stated)).toEqual([]);
  });

  it('are found where they are known to stand', () => {
    const pages = statements.filter(({ flag }) => flag === '--submits').map(({ page }) => page);
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/decisions/one-charge.md']));
  });
});
