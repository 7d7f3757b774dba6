import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAILURES, type FailureClass } from '../../contract/failures.ts';
import { createProgram } from '../../starters/program.ts';
import { commandTree } from '../../starters/terminal/command-tree.ts';
import { mayTryAgain } from '../../policy/retry.ts';
import { capture } from '../starters/command-line.ts';
import { readTable, withoutMarks } from '../support/markdown-table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const CLASSES = Object.keys(FAILURES) as FailureClass[];

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

describe('docs/errors.md', () => {
  const errors = read('docs/errors.md');
  const [, ...sections] = errors.split(/^## /m);

  it('has the table of the contract', () => {
    const rows = readTable(errors, ['class', 'from', 'then']);
    expect(rows.map((row) => ({ ...row, class: withoutMarks(row.class) }))).toEqual(
      CLASSES.map((name) => ({ class: name, ...FAILURES[name] })),
    );
  });

  it('tells of each class what is seen, what it cost, and what to do', () => {
    expect(sections.map((text) => text.split('\n')[0])).toEqual(CLASSES);
    for (const text of sections) {
      const leads = [...text.matchAll(/^\*\*([^*]+):\*\* \S/gm)].map(([, lead]) => lead);
      expect(leads).toEqual(['You see', 'Money', 'Do']);
    }
  });

  it.each(['NotSent', 'RateLimited', 'ServiceDown'] as const)('tells after how many refusals %s gives up', (name) => {
    const attempts = Array.from({ length: 1000 }, (_, index) => index + 1);
    const most = attempts.find((refusals) => !mayTryAgain(name, refusals));
    expect(sections[CLASSES.indexOf(name)]).toMatch(new RegExp(String.raw`\b${String(most)}\b`));
  });
});

describe('the pages', () => {
  const silent = capture({ out: '', err: '' });
  const commands = commandTree(createProgram({ output: silent, done: () => undefined }));

  /** What is wrong with a command line that a page shows; undefined if nothing is. */
  function problemOf(words: string): string | undefined {
    const command = commands.findLast(({ path }) => path !== '' && `${words} `.startsWith(`${path} `));
    if (command === undefined) return `no such command: voxbatch ${words}`;
    const known = command.flags.flatMap((flag) => flag.words);
    const unknown = [...words.matchAll(/(?<= )--[a-z-]+/g)]
      .map(([flag]) => flag)
      .filter((flag) => !known.includes(flag));
    return unknown.length === 0 ? undefined : `no such flag: voxbatch ${words}`;
  }

  it.each(PAGES)('%s shows only commands and flags that exist', (page) => {
    expect(
      commandLines(read(page))
        .map(problemOf)
        .filter((problem) => problem !== undefined),
    ).toEqual([]);
  });

  it.each(PAGES)('%s links only to files that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)].map(([, link]) => link ?? '');
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });
});

/** Every `voxbatch …` in the code of a page, without the program's name and without comments. */
function commandLines(markdown: string): readonly string[] {
  const code = [...markdown.matchAll(/^```.*?^```|`[^`\n]+`/gms)].map(([text]) => text.replaceAll('`', ''));
  return code.flatMap((text) =>
    [...text.matchAll(/^(?:\$ )?voxbatch ([a-z].*)$/gm)].map(([, words = '']) => words.replace(/\s#.*$/, '').trim()),
  );
}
