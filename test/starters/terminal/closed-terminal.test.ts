import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isUnderNohup } from '../../../starters/terminal/output.ts';
import { compiledOf } from '../../compiled.mjs';

const run = promisify(execFile);

let folder: string;
const PROGRAM = compiledOf('test/support/hang-up.ts');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-nohup-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the program on a pseudo-terminal, which `nohup` asks for. */
function onTerminal(command: string): Promise<unknown> {
  return run('script', ['-qec', `${command} '${process.execPath}' '${PROGRAM}'`, '/dev/null'], { cwd: folder });
}

describe('a closed terminal', () => {
  it('ends a program that does not listen', async () => {
    await expect(onTerminal('exec')).rejects.toMatchObject({ code: 129 });
  });

  it('is nothing to a program under nohup, though Node resets what nohup had ignored', async () => {
    await onTerminal('exec nohup');
    expect(await readFile(join(folder, 'nohup.out'), 'utf8')).toContain('goes on');
  });

  it('is heard by a program whose stdin is simply empty', () => {
    expect(isUnderNohup()).toBe(false);
  });
});
