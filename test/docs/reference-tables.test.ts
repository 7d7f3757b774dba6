import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { FollowEvent } from '../../client/status/follow.ts';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { REPORT_FILE } from '../../contract/report.ts';
import { OUTCOME_FACTS, OUTCOMES } from '../../contract/outcomes.ts';
import { EXITS_BY_SEVERITY } from '../../policy/exit-of.ts';
import { formerFolder } from '../../results/former-files.ts';
import { MEDIA_FOLDER } from '../../inputs/output-name.ts';
import { CREDITS_KINDS, RESULT_COLUMNS } from '../../results/result-line.ts';
import { PROJECTED_FILES, SUMMARY_FILE } from '../../results/out-files.ts';
import { readTable } from '../support/markdown-table.ts';
import { ROOMS } from './import-rules.ts';
import { pathOf, readPage } from './pages.ts';

describe('the tables of the docs', () => {
  it('say of each exit that is worth another try after a change what to change', () => {
    const table = readTable(readPage('docs/guide/exit-codes.md'), ['exit', 'what to do']);
    const told = table.flatMap((row) => named(row.exit));
    const exits = Object.entries(EXIT_CODES).flatMap(([name, { retry }]) => (retry === 'after-change' ? [name] : []));
    expect(told.filter((name) => exits.includes(name))).toEqual(exits);
    expect(told.filter((name) => !(name in EXIT_CODES))).toEqual([]);
  });

  it('list them in words that name the outcomes of each, and say which of several wins', () => {
    for (const outcome of OUTCOMES) {
      const { exit } = OUTCOME_FACTS[outcome];
      // Of the skipped rows, those that nobody asked for do not count, so the code tells of the budget.
      if (outcome !== 'skipped') expect(EXIT_CODES[exit].meaning).toContain(outcome);
    }
    const order = [...new Set(EXITS_BY_SEVERITY.map((exit) => EXIT_CODES[exit].code))].join(', ');
    expect(readPage('docs/guide/exit-codes.md')).toContain(`the first of ${order} wins`);
  });

  it('list the files that a projection writes, and their columns', () => {
    const table = readTable(readPage('docs/guide/results.md'), ['file', 'content']);
    expect(new Set(table.flatMap((row) => named(row.file)))).toEqual(
      new Set([...PROJECTED_FILES, REPORT_FILE, SUMMARY_FILE, `${MEDIA_FOLDER}/`, `${formerFolder('TIME')}/`]),
    );
    expect(named(table[0]?.content ?? '')).toEqual([RESULT_COLUMNS.join(' ')]);
  });

  it('list the outcomes, and how sure a number of credits is', () => {
    const page = readPage('docs/guide/results.md');
    const outcomes = readTable(page, ['outcome', 'meaning']);
    expect(outcomes.flatMap((row) => named(row.outcome))).toEqual(OUTCOMES);
    const kinds = readTable(page, ['credits kind', 'meaning']);
    expect(kinds.flatMap((row) => named(row['credits kind']))).toEqual(CREDITS_KINDS);
    for (const outcome of OUTCOMES) expect(readPage('docs/glossary.md')).toContain(`\`${outcome}\``);
  });

  it('list the events of a batch that is followed', () => {
    const events: Readonly<Record<FollowEvent['type'], true>> = {
      progress: true,
      paused: true,
      stopping: true,
      standstill: true,
      restarted: true,
      silent: true,
      'store-away': true,
      'store-back': true,
      ended: true,
    };
    const table = readTable(readPage('docs/guide/library.md'), ['event', 'meaning']);
    expect(table.flatMap((row) => named(row.event))).toEqual(Object.keys(events));
  });

  it('list the rooms', () => {
    const rooms = readTable(readPage('docs/architecture.md'), ['room', 'what is in it']).flatMap((row) =>
      named(row.room).map((room) => room.replace('/', '')),
    );
    const folders = readdirSync(pathOf('.'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(\.|node_modules|dist|out|coverage)/.test(entry.name))
      .map((entry) => entry.name);
    expect(rooms.toSorted()).toEqual(folders.toSorted());
  });

  it('list the environment variables that the code reads', () => {
    const table = readTable(readPage('docs/guide/config.md'), ['variable', 'meaning']);
    const read = ROOMS.flatMap((room) =>
      readdirSync(pathOf(room), { recursive: true, encoding: 'utf8' }).map((file) => `${room}/${file}`),
    )
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(pathOf(file), 'utf8').matchAll(/(?:env|environment)\[['"](VOXBATCH_[A-Z_]+)/g),
      ])
      .map(([, name = '']) => name);
    expect(new Set(table.flatMap((row) => named(row.variable)))).toEqual(new Set(read));
  });
});

describe('the README', () => {
  it('fits on two screens', () => expect(readPage('README.md').split('\n').length).toBeLessThanOrEqual(120));

  it('lists every page of the guide', () => {
    const linked = [...readPage('README.md').matchAll(/\]\((docs\/guide\/[^)#]+)/g)].map(([, page]) => page);
    const pages = readdirSync(pathOf('docs/guide')).map((page) => `docs/guide/${page}`);
    expect(pages.filter((page) => !linked.includes(page))).toEqual([]);
  });
});

/** What stands in backquotes. */
const named = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
