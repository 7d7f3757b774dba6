import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { createProgram } from '../../starters/program.ts';
import { commandTree, type CommandFacts } from '../../starters/terminal/command-tree.ts';
import { capture } from './command-line.ts';

const GUIDE = fileURLToPath(new URL('../../docs/guide/commands.md', import.meta.url));
const MARK = '<!-- The rest is made from the command line itself; see test/starters/command-guide.test.ts. -->\n';

it('tells in docs/guide/commands.md what the command line tells (UPDATE_GUIDE=1 writes it)', async () => {
  const text = await readFile(GUIDE, 'utf8');
  const written = text.slice(0, text.indexOf(MARK) + MARK.length) + reference();
  if (process.env['UPDATE_GUIDE'] === '1') await writeFile(GUIDE, written);
  expect(text.includes(MARK)).toBe(true);
  expect(await readFile(GUIDE, 'utf8')).toBe(written);
});

function reference(): string {
  const program = createProgram({ output: capture({ out: '', err: '' }), done: () => undefined });
  const commands = commandTree(program).filter(({ path }) => path !== '' && path !== 'help');
  const overview = table(
    ['command', 'what it does'],
    commands.map(({ path, description }) => [
      `[\`${path}\`](#voxbatch-${path.replaceAll(' ', '-')})`,
      prose(description),
    ]),
  );
  return `\n${overview}\n${commands.map(section).join('\n')}`;
}

function section({ path, usage, description, flags }: CommandFacts): string {
  const shown = flags.filter((flag) => !flag.words.includes('--help'));
  const rows = shown.map((flag) => [`\`${flag.flags}\``, prose(flag.description)]);
  const flagTable = rows.length === 0 ? '' : `\n${table(['flag', 'meaning'], rows)}`;
  return `## voxbatch ${path}\n\n\`voxbatch ${usage}\`: ${prose(description)}.\n${flagTable}`;
}

/** Words that Markdown would take for a tag or for the end of a cell are spelled out. */
function prose(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('|', String.raw`\|`);
}

/** A Markdown table as Prettier writes it. */
function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, at) => Math.max(3, title.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('');
}
