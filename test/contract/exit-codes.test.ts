import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { currentExit, EXIT_CODES, viewExit, viewExitAfter, type ExitName } from '../../contract/exit-codes.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What ends a command, or says how a batch ends. */
const SOURCES = ['starters', 'policy', 'contract/outcomes.ts', 'client'].flatMap((place) =>
  place.endsWith('.ts')
    ? [place]
    : readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => join(place, file)),
);

describe('exit codes', () => {
  const code = SOURCES.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');

  it.each(Object.keys(EXIT_CODES))('%s is given by something', (name) => expect(code).toMatch(new RegExp(`'${name}'`)));

  it('are shown with the number, and with whether to run the same command again', () => {
    expect(viewExit('skipped')).toEqual({ exit: 'skipped', exitCode: 12, retry: 'after-change' });
    expect(viewExit('unfinished')).toEqual({ exit: 'unfinished', exitCode: 75, retry: 'later' });
  });

  it.each(['terminated', 'internal', 'unreachable', 'paused'] as const)(
    'never say after another take was recorded to run the same command again: %s',
    (exit) => {
      const next = 'voxbatch run lines.csv';
      expect(viewExitAfter(exit, next)).toEqual({ ...viewExit(exit), retry: 'after-change', next });
      expect(viewExitAfter(exit, undefined)).toEqual(viewExit(exit));
    },
  );

  it('name no next command once that take is over', () => {
    expect(viewExitAfter('complete', 'voxbatch run lines.csv')).toEqual(viewExit('complete'));
  });

  it('are known by the names that earlier versions recorded', () => {
    const recorded = ['outOfCredits', 'quality', 'goesOn', 'halted'] as ExitName[];
    expect(recorded.map(currentExit)).toEqual(['skipped', 'unfit', 'unfinished', 'halted']);
    expect(currentExit(null)).toBeNull();
    expect(currentExit('of-a-later-version' as ExitName)).toBe('failures');
  });

  it('are numbers that a shell can tell apart', () => {
    for (const { code } of Object.values(EXIT_CODES)) expect(code === (code & 0xff)).toBe(true);
  });
});
