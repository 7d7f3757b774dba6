import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isUnderNohup } from '../../../starters/terminal/output.ts';
import { compiledOf } from '../../compiled.mjs';
import { freshFolder } from '../../support/fresh-folder.ts';

const run = promisify(execFile);

let folder: string;
const PROGRAM = compiledOf('test/support/hang-up.ts');

beforeAll(() => {
  folder = freshFolder();
});

/** Runs the program on a pseudo-terminal, which `nohup` asks for. */
function onTerminal(command: string): Promise<unknown> {
  return run('script', ['-qec', `${command} '${process.execPath}' '${PROGRAM}'`, '/dev/null'], { cwd: folder });
}

describe('a closed terminal', () => {
  it('ends a program that does not listen', () => expect(onTerminal('exec')).rejects.toMatchObject({ code: 129 }));

  it('is nothing to a program under nohup, though Node resets what nohup had ignored', async () => {
    await onTerminal('exec nohup');
    expect(await readFile(join(folder, 'nohup.out'), 'utf8')).toContain('goes on');
  });

  it('is heard by a program whose stdin is simply empty', () => expect(isUnderNohup()).toBe(false));
});
