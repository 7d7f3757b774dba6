import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { TUNABLE_NAMES, TUNABLES, tuningOf, type Tunable, type TunableName } from '../../../contract/tunables.ts';
import { formatValue, parseValue, type AnyValue, type ValueKind } from '../../../contract/value-kinds.ts';
import { readConfig } from '../../../inputs/config-file.ts';
import { createProgram } from '../../../starters/program.ts';
import { commandTree } from '../../../starters/terminal/usage-words.ts';
import { flagOf } from '../../../starters/terminal/tunable-words.ts';
import { readPage } from '../../docs/pages.ts';
import { configKeyOf, TUNABLE_COLUMNS } from '../../docs/tunable-table.ts';
import { readTable, withoutMarks } from '../../support/markdown-table.ts';
import { capture, expectRun, json, placeForEach } from '../command-line.ts';
import { find, STATES } from '../reached-states.ts';

/** The table of `contract/tunables.ts` and everything that is made from it. An entry that is missing in one place fails here by name. */

const place = placeForEach();
const program = createProgram({ output: capture({ out: '', err: '' }), done: () => undefined });

/** A value that is not the default. */
function otherThan({ takes, default: usual }: Tunable): string {
  const other: Record<ValueKind['type'], readonly string[]> = {
    count: takes.type === 'count' ? [String(takes.least), String(takes.most)] : [],
    duration: ['1234'],
    rate: ['2.5'],
    credits: ['1500'],
    choice: takes.type === 'choice' ? takes.words : [],
    halt: ['now,fail=7'],
    command: ['./after.sh'],
    url: ['https://hooks.example'],
  };
  const found = other[takes.type].find((text) => text !== formatValue(usual));
  if (found === undefined) throw new Error(`No other value of the kind ${takes.type}.`);
  return found;
}

describe.each(TUNABLE_NAMES)('%s', (name: TunableName) => {
  const tunable: Tunable = TUNABLES[name];
  const text = otherThan(tunable);
  const value = parseValue(tunable.takes, text) as AnyValue;
  const tuning = tuningOf({ [name]: value });

  it('has a default that its kind takes', () => {
    expect(parseValue(tunable.takes, formatValue(tunable.default))).toEqual(tunable.default);
  });

  it.each(['run', 'plan', 'tune'])('is a flag of %s, with what it means and its default', (command) => {
    const flags = commandTree(program).find(({ path }) => path === command)?.flags ?? [];
    const help = flags.find(({ words }) => words.includes(flagOf(name)))?.description;
    expect(help).toContain(tunable.meaning);
    expect(help).toContain(`(default: ${formatValue(tunable.default)}`);
  });

  it('is a key of the config file', async () => {
    const cell = typeof value === 'object' && value !== null ? text : value;
    await writeFile('config.json', JSON.stringify(tunable.isLimit ? { limits: { [name]: cell } } : { [name]: cell }));
    expect(await readConfig('config.json')).toEqual(tuning);
  });

  it('is changed by tune, which prints it, and shown by status', async () => {
    await STATES.untouched(place.ledger);
    const out = new RegExp(`${flagOf(name)} +${text}[ ,].*${tunable.meaning}`);
    await expectRun(`tune ${flagOf(name)}=${text}`, 0, { out });
    expect((await find(place.ledger)).settings).toMatchObject(tuning);
    const { value: status } = await json('status');
    const shown = tunable.isLimit ? (status['limits'] as Record<string, unknown>) : status;
    const key = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(formatValue(shown[key] as AnyValue)).toBe(text);
  });

  it('has its line in docs/guide/config.md, with its flag and default', () => {
    const row = readTable(readPage('docs/guide/config.md'), TUNABLE_COLUMNS).find(
      ({ key }) => withoutMarks(key) === configKeyOf(name),
    );
    expect(row).toMatchObject({ flag: `\`${flagOf(name)}\``, meaning: tunable.meaning });
    expect(row?.default).toContain(`\`${formatValue(tunable.default)}\``);
  });
});
