import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { createProgram } from '../../starters/program.ts';
import { commandTree } from '../../starters/terminal/usage-words.ts';
import { capture } from '../starters/capture.ts';
import { ROOMS } from './import-rules.ts';
import { anchorsOf, codeOf, PAGES, pathOf, readPage } from './pages.ts';

const { scripts } = JSON.parse(readPage('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
const silent = capture({ out: '', err: '' });
const commands = commandTree(createProgram({ output: silent, done: () => undefined }));

describe.each(PAGES)('%s', (page) => {
  const text = readPage(page);

  it('shows only commands and flags that exist', () => {
    expect(commandLines(text).flatMap((words) => problemOf(words) ?? [])).toEqual([]);
  });

  it('names only scripts of package.json, and files that exist', () => {
    const code = codeOf(text).join('\n');
    const named = [...code.matchAll(/\bnpm run (?:-s )?([a-z][a-z\d:-]*)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
    expect(filesIn(code).filter((file) => !existsSync(pathOf(file)))).toEqual([]);
  });

  it('links only to pages, files and headings that exist', () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(link))).toEqual([]);
  });
});

it('all pages can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) for (const link of linksOf(page)) if (PAGES.includes(link.page)) reached.add(link.page);
  expect(PAGES.filter((page) => !reached.has(page) && page !== 'CHANGELOG.md')).toEqual([]);
});

it('the checks of pages find a command, a flag, a file and a heading that are not there', () => {
  expect(commandLines('```sh\nA=1 voxbatch runn x.csv   # no\n```')).toEqual(['runn x.csv']);
  expect(problemOf('runn x.csv')).toBe('no such command: voxbatch runn x.csv');
  expect(problemOf('run x.csv --bugdet 5')).toBe('no such flag: voxbatch run x.csv --bugdet 5');
  expect(filesIn('policy/rows/max-attempts.ts, policy/nowhere.ts and policy/*.ts')).toEqual([
    'policy/rows/max-attempts.ts',
    'policy/nowhere.ts',
  ]);
  expect(leadsSomewhere({ page: 'nowhere.md', anchor: undefined })).toBe(false);
  expect(leadsSomewhere({ page: 'README.md', anchor: 'nothing' })).toBe(false);
  expect(leadsSomewhere({ page: 'docs/errors.md', anchor: 'notsent' })).toBe(true);
});

/** Files and folders of rooms that are named, patterns apart. */
function filesIn(code: string): readonly string[] {
  const rooms = [...ROOMS, 'test', 'bench', 'docs'].join('|');
  const paths = new RegExp(String.raw`(?<![\w./<-])(?:${rooms})/[\w./*<>{}$-]*`, 'g');
  return [...code.matchAll(paths)].map(([path]) => path.replace(/[.]$/, '')).filter((path) => /^[\w./-]+$/.test(path));
}

/** What is wrong with a command line that a page shows; undefined if nothing is. */
function problemOf(words: string): string | undefined {
  const command = commands.findLast(({ path }) => path !== '' && `${words} `.startsWith(`${path} `));
  if (command === undefined) return `no such command: voxbatch ${words}`;
  const known = command.flags.flatMap((flag) => flag.words);
  const unknown = [...words.matchAll(/(?<= )--?[a-z][a-z-]*/g)]
    .map(([flag]) => flag)
    .filter((flag) => !known.includes(flag));
  return unknown.length === 0 ? undefined : `no such flag: voxbatch ${words}`;
}

/** A relative link. */
interface Link {
  readonly page: string;
  readonly anchor: string | undefined;
}

function linksOf(page: string): readonly Link[] {
  return [...readPage(page).matchAll(/\]\((?![a-z]+:)([^)#]*)(?:#([^)]*))?\)/g)].map(([, file = '', anchor]) => ({
    page: file === '' ? page : normalize(join(dirname(page), file)),
    anchor,
  }));
}

function leadsSomewhere({ page, anchor }: Link): boolean {
  if (!existsSync(pathOf(page))) return false;
  return anchor === undefined || (page.endsWith('.md') && anchorsOf(readPage(page)).has(anchor));
}

/** Every `voxbatch …` in the code of a page, without the program's name, its settings and comments. */
function commandLines(markdown: string): readonly string[] {
  return codeOf(markdown).flatMap((text) =>
    [...text.matchAll(/^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx )?voxbatch ([a-z].*)$/gm)].map(([, words = '']) =>
      words.replace(/\s#.*$|\s&$/, '').trim(),
    ),
  );
}
