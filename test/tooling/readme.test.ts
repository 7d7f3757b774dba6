import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { FAILURES } from '../../contract/failures.ts';
import { OUTCOMES } from '../../contract/outcomes.ts';
import { KINDS, ROW_KINDS } from '../../contract/row-kinds.ts';
import { outcomeFile, RECEIPTS_JSONL, RESULTS_CSV, RESULTS_JSONL } from '../../results/batch-files.ts';
import { MEDIA_FOLDER } from '../../results/names.ts';
import { RESULT_COLUMNS } from '../../results/result-line.ts';
import { SUMMARY_FILE } from '../../results/summary.ts';
import { createProgram } from '../../starters/program.ts';
import { processOutput } from '../../starters/terminal/output.ts';
import { readTable, withoutMarks } from '../support/markdown-table.ts';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

/** What stands in backquotes. */
function named(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

describe('the README', () => {
  it('lists the exit codes of the code', () => {
    const table = readTable(README, ['code', 'meaning']).map(({ code, meaning }) => ({ code: Number(code), meaning }));
    expect(table).toEqual(Object.values(EXIT_CODES));
  });

  it('lists the failure classes of the code', () => {
    const table = readTable(README, ['class', 'from', 'then']).map((row) => [
      withoutMarks(row.class),
      row.from,
      row.then,
    ]);
    expect(table).toEqual(Object.entries(FAILURES).map(([name, { from, then }]) => [name, from, then]));
  });

  it('lists the kinds of the code', () => {
    const table = readTable(README, ['kind', 'needed', 'optional', 'paid steps']);
    expect(
      table.map((row) => [named(row.kind), named(row.needed), named(row.optional), row['paid steps'].split(', ')]),
    ).toEqual(KINDS.map((kind) => [[kind], ROW_KINDS[kind].required, ROW_KINDS[kind].optional, ROW_KINDS[kind].steps]));
  });

  it('lists the files that a projection writes, and their columns', () => {
    const table = readTable(README, ['file', 'content']);
    const outcomeFiles = OUTCOMES.map(outcomeFile).filter((name) => name !== undefined);
    expect(new Set(table.flatMap((row) => named(row.file)))).toEqual(
      new Set([RESULTS_CSV, RESULTS_JSONL, RECEIPTS_JSONL, SUMMARY_FILE, `${MEDIA_FOLDER}/`, ...outcomeFiles]),
    );
    expect(named(table[0]?.content ?? '')).toEqual([RESULT_COLUMNS.join(' ')]);
  });

  it('lists the commands of the command line', () => {
    const program = createProgram({ output: processOutput(), done: () => undefined });
    const listed = readTable(README, ['command', 'what it does']).flatMap((row) => named(row.command));
    expect(listed.toSorted()).toEqual(program.commands.map((command) => command.name()).toSorted());
  });

  it('lists the rooms', () => {
    const rooms = readTable(README, ['room', 'what is in it']).flatMap((row) =>
      named(row.room).map((room) => room.replace('/', '')),
    );
    const folders = readdirSync(new URL('../..', import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(\.|node_modules|dist|out|coverage)/.test(entry.name))
      .map((entry) => entry.name);
    expect(rooms.toSorted()).toEqual(folders.toSorted());
  });

  it('names only scripts, commands, settings and pages that exist', () => {
    const program = createProgram({ output: processOutput(), done: () => undefined });
    const commands = program.commands.map((command) => command.name());
    for (const [, script] of README.matchAll(/npm run ([a-z:-]+)/g))
      expect(Object.keys(PACKAGE.scripts)).toContain(script);
    for (const [, command] of README.matchAll(/(?:npx |`)voxbatch ([a-z]+)/g)) expect(commands).toContain(command);
    for (const [, page] of README.matchAll(/\]\(((?!http)[^)#]+)/g)) {
      expect(() => readFileSync(new URL(`../../${page ?? ''}`, import.meta.url))).not.toThrow();
    }
  });
});
