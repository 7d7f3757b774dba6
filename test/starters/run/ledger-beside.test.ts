/** @slow */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { openCommandLine, type CommandLine, run } from '../command-line.ts';

let simulator: Simulator;
let line: CommandLine;
beforeEach(async () => {
  simulator = await startSimulator({ token: 'token' });
  line = await openCommandLine({ VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: 'token' });
  await mkdir("Ada's work");
  await mkdir('other');
  await writeFile("Ada's work/tts.csv", 'id,text,voice\na,Hello there,narrator\n');
  await (await openLedger("Ada's work/.voxbatch/ledger.db")).close();
  process.chdir('other');
});
afterEach(async () => {
  await line.close();
  await simulator.close();
});

/** As a shell takes it. */
const there = (): string => `'${join(line.folder, "Ada'\\''s work")}'`;

describe('where the ledger is beside the manifest, and none in the working folder', () => {
  it.each([
    [['plan'], [], 0],
    [['run'], [], 5],
    [['schedule', 'create', 'nightly'], ['--every', '1d'], 5],
  ])('%j says so, with the command that uses it', async (words, flags, expected) => {
    // Without a token, nobody gets further than that.
    Reflect.deleteProperty(process.env, 'VOXBATCH_API_TOKEN');
    const { code, stderr } = await run(...words, "../Ada's work/tts.csv", ...flags);
    expect(code).toBe(expected);
    expect(stderr).toContain('does not know what was paid for there, and pays for it again');
    expect(stderr).toContain(`cd ${there()} && voxbatch ${words.join(' ')} tts.csv`);
    expect(simulator.ledger()).toEqual([]);
  });

  it.each(['plan', 'run'])('%s says so where the ledger here does not know the batch', async (word) => {
    await writeFile('own.csv', 'id,text,voice\na,Good morning,narrator\n');
    // Over the budget: it begins a ledger, and sends nothing.
    const flags = ['--budget', '0.01'];
    expect((await run('run', 'own.csv', ...flags)).code).toBe(3);
    const { stderr } = await run(word, "../Ada's work/tts.csv", ...flags);
    expect(stderr).toContain('the one in this folder does not know this batch');
    expect(stderr.match(/beside the manifest/gu)).toHaveLength(1);
    expect((await run('run', 'own.csv', ...flags)).stderr).not.toContain('beside the manifest');
    expect(simulator.ledger()).toEqual([]);
  });

  it('the command that it names reads no name of a file as a flag', async () => {
    await writeFile("../Ada's work/--on-end=x.csv", 'id,text,voice\na,Hello there,narrator\n');
    const { stderr } = await run('plan', "../Ada's work/--on-end=x.csv");
    expect(stderr).toContain('voxbatch plan ./--on-end=x.csv');
  });

  it('nothing is said where the place of the ledger was named, and where the manifest is', async () => {
    const warned = async (folder: string, path: string): Promise<boolean> => {
      process.chdir(join(line.folder, folder));
      return (await run('plan', path)).stderr.includes('beside the manifest');
    };
    expect(await warned('other', "../Ada's work/tts.csv")).toBe(true);
    expect(await warned("Ada's work", 'tts.csv')).toBe(false);
    process.env['VOXBATCH_HOME'] = join(line.folder, 'home');
    expect(await warned('other', "../Ada's work/tts.csv")).toBe(false);
    Reflect.deleteProperty(process.env, 'VOXBATCH_HOME');
  });
});
