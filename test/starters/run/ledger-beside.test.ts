/** @slow */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { expectRun, lineAtSimulator, run } from '../command-line.ts';

lineAtSimulator();

const THERE = "../Ada's work/tts.csv";
let folder: string;
beforeEach(async () => {
  folder = process.cwd();
  await mkdir("Ada's work");
  await mkdir('other');
  await writeFile("Ada's work/tts.csv", 'id,text,voice\na,Hello there,narrator\n');
  await (await openLedger("Ada's work/.voxbatch/ledger.db")).close();
  process.chdir('other');
});

describe('where the ledger is beside the manifest, and none in the working folder', () => {
  it.each([
    ['plan', [], 0],
    ['run', [], 5],
    ['schedule create nightly', ['--every', '1d'], 5],
  ])('%s says so, with the command that uses it', async (words, flags, code) => {
    // Without a token, nobody gets further than that.
    Reflect.deleteProperty(process.env, 'VOXBATCH_API_TOKEN');
    // As a shell takes it.
    const there = `'${join(folder, "Ada'\\''s work")}'`;
    const why = 'does not know what was paid for there, and pays for it again';
    await expectRun([words, THERE, ...flags], code, [why, `cd ${there} && voxbatch ${words} tts.csv`]);
  });

  it.each(['plan', 'run'])('%s says so where the ledger here does not know the batch', async (word) => {
    await writeFile('own.csv', 'id,text,voice\na,Good morning,narrator\n');
    // Over the budget: it begins a ledger, and sends nothing.
    const own = 'run own.csv --budget 0.01';
    await expectRun(own, 3);
    const { stderr } = await run(word, THERE, '--budget', '0.01');
    expect(stderr).toContain('the one in this folder does not know this batch');
    expect(stderr.match(/beside the manifest/gu)).toHaveLength(1);
    await expectRun(own, 3, { not: 'beside the manifest' });
  });

  it('the command that it names reads no name of a file as a flag', async () => {
    await writeFile("../Ada's work/--on-end=x.csv", 'id,text,voice\na,Hello there,narrator\n');
    await expectRun(['plan', "../Ada's work/--on-end=x.csv"], 0, 'voxbatch plan ./--on-end=x.csv');
  });

  it('nothing is said where the place of the ledger was named, and where the manifest is', async () => {
    const warned = async (from: string, path: string): Promise<boolean> => {
      process.chdir(join(folder, from));
      return (await run('plan', path)).stderr.includes('beside the manifest');
    };
    expect([await warned('other', THERE), await warned("Ada's work", 'tts.csv')]).toEqual([true, false]);
    process.env['VOXBATCH_HOME'] = join(folder, 'home');
    expect(await warned('other', THERE)).toBe(false);
  });
});

it('where Temporal is on a cluster, and VOXBATCH_LEDGER was forgotten, plan and run say that a new ledger begins, and nothing where it is there', async () => {
  // Without a token, nobody gets further than that.
  Reflect.deleteProperty(process.env, 'VOXBATCH_API_TOKEN');
  process.env['TEMPORAL_ADDRESS'] = '127.0.0.1:9';
  await writeFile('own.csv', 'id,text,voice\na,Good morning,narrator\n');
  const begins = 'VOXBATCH_LEDGER, which is not set';
  for (const [command, code] of [
    ['plan own.csv', 0],
    ['run own.csv', 5],
  ] as const) {
    await expectRun(command, code, begins);
  }
  await (await openLedger(join(process.cwd(), '.voxbatch/ledger.db'))).close();
  await expectRun('plan own.csv', 0, { not: begins });
});
