import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '../../contract/row-kinds.ts';
import { POLICY_NAMES } from '../../contract/tunables.ts';
import { readConfig } from '../../inputs/config-file.ts';
import { FAULT_POINTS, faultPlanSchema, parseFaultPlan } from '../../simulator/fault-plan.ts';
import { SPOILT_SPEECH } from '../../simulator/spoil-speech.ts';
import { readTable, withoutMarks } from '../support/markdown-table.ts';

const page = (name: string): Promise<string> => readFile(new URL(`../../docs/guide/${name}`, import.meta.url), 'utf8');

/** What a fault must say of itself. */
const NEEDED: Readonly<Record<string, object>> = {
  status: { status: 500 },
  late: { ms: 1 },
  speaks: { as: 'silence' },
  hears: { as: 'nothing' },
};

/** The first JSON example of a page. */
const exampleOf = (text: string): unknown => JSON.parse(/```json\n(.*?)```/s.exec(text)?.[1] ?? '');

describe('docs/guide/rehearsal.md', () => {
  it('shows a fault plan that the simulator takes', async () => {
    const plan = parseFaultPlan(exampleOf(await page('rehearsal.md')));
    expect(plan.rules.map(({ fault }) => fault.kind)).toEqual(['status', 'reset-after', 'job-fails', 'cut']);
  });

  it('names every place and every fault', async () => {
    const text = await page('rehearsal.md');
    const on = readTable(text, ['key', 'meaning']).find(({ key }) => withoutMarks(key) === 'on');
    for (const point of FAULT_POINTS) expect(on?.meaning).toContain(`\`${point}\``);
    for (const speech of SPOILT_SPEECH) expect(text).toContain(`\`${speech}\``);
    for (const { fault } of readTable(text, ['fault', 'what happens'])) {
      for (const kind of fault.split(', ').map(withoutMarks)) {
        const needed = NEEDED[kind] ?? {};
        const isOfDownload = /^(cut|wrong|dead|redirect)/.test(kind);
        const on = isOfDownload ? 'download' : kind === 'link-name' ? 'read' : 'create';
        expect(() => parseFaultPlan({ rules: [{ on, fault: { kind, ...needed } }] })).not.toThrow();
      }
    }
  });
});

it('the places of faults in docs/guide/rehearsal.md are those that the simulator takes', async () => {
  const rows = readTable(await page('rehearsal.md'), ['fault', '`on`', '`operation` of `create`']);
  const words = (cell: string): string[] => (cell === '' ? [] : cell.split(', ').map(withoutMarks));
  const isTaken = (rule: object): boolean => faultPlanSchema.safeParse({ rules: [rule] }).success;
  for (const { fault: kinds, '`on`': points, '`operation` of `create`': operations } of rows)
    for (const kind of words(kinds)) {
      const fault = { kind, ...NEEDED[kind] };
      expect([kind, FAULT_POINTS.filter((on) => isTaken({ on, fault }))]).toEqual([kind, words(points)]);
      const taken = OPERATIONS.filter((operation) => isTaken({ on: 'create', operation, fault }));
      const told = words(operations);
      expect([kind, taken.toSorted()]).toEqual([kind, (told[0] === 'any' ? [...OPERATIONS] : told).toSorted()]);
    }
});

it('docs/guide/config.md shows a config file that is taken, and tells of every key in it', async () => {
  const text = await page('config.md');
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-guide-'));
  try {
    const example = exampleOf(text) as Record<string, unknown>;
    await writeFile(join(folder, 'config.json'), JSON.stringify(example));
    const taken = Object.keys(await readConfig(join(folder, 'config.json')));
    expect(taken.toSorted()).toEqual(Object.keys(example).toSorted());
    const told = readTable(text, ['key', 'meaning', 'default']).map(({ key }) => withoutMarks(key));
    expect([...told, ...POLICY_NAMES].toSorted()).toEqual(Object.keys(example).toSorted());
  } finally {
    await rm(folder, { recursive: true });
  }
});
