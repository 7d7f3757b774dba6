import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { KINDS, columnsOfKind, stepsIn } from '../../contract/row-kinds.ts';
import { knownColumns } from '../../inputs/header-names.ts';
import { PROBLEM_CODES } from '../../contract/manifest-problems.ts';

const guide = await readFile(new URL('../../docs/guide/manifest.md', import.meta.url), 'utf8');

/** The lines of the table between two markers, without its head. */
function tableOf(marker: string): string[] {
  const [, part = ''] = guide.split(`<!-- ${marker}: compared with the code by a test -->`);
  const [table = ''] = part.split(`<!-- end of ${marker} -->`);
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2);
}

describe('docs/guide/manifest.md', () => {
  it('gives the columns and steps of each kind as the code has them', () => {
    const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
    expect(tableOf('kinds')).toEqual(
      KINDS.map((kind) => {
        const { required, optional } = columnsOfKind(kind);
        const steps = stepsIn({ kind });
        return `| \`${kind}\` | ${code(required)} | ${code(optional)} | ${steps.join(', ')} |`;
      }),
    );
  });

  it('lists every error code with its meaning', () => {
    expect(tableOf('codes')).toEqual(
      Object.entries(PROBLEM_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`),
    );
  });

  it('explains every column', () => {
    const explained = guide.split('| column | what it takes |')[1]?.split('\n\n')[0] ?? '';
    for (const column of knownColumns()) expect(explained).toContain(`\`${column}\``);
  });
});
