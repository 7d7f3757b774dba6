import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { readPage } from '../docs/pages.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { replayFolder } from '../support/replay-folder.ts';

const DEMO = fileURLToPath(new URL('../../dist/starters/demo.js', import.meta.url));

it('npm run demo ends as it should, as the README shows it, and replays', async () => {
  const folder = freshFolder();
  const home = join(folder, 'records');
  // What is not of a demo is not removed.
  await mkdir(join(home, 'demo'), { recursive: true });
  await writeFile(join(home, 'demo', 'notes.txt'), 'mine');
  expect(await runDemo(folder, home)).toEqual({
    code: 2,
    said: expect.stringContaining('is not of an earlier demo'),
  });
  expect(await readFile(join(home, 'demo', 'notes.txt'), 'utf8')).toBe('mine');
  await rm(join(home, 'demo', 'notes.txt'));

  const { code, said } = await runDemo(folder, home);
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('none was made twice') });
  expect(existsSync(join(home, 'demo', 'ledger.db'))).toBe(true);
  expect(existsSync(join(folder, '.voxbatch'))).toBe(false);
  expect(summaryLines(readPage('README.md'))).toEqual(
    summaryLines(said).map((line, at) => cutLike(line, summaryLines(readPage('README.md'))[at] ?? '')),
  );
  expect(await replayFolder(folder)).toBeGreaterThan(0);
});

/** Runs the demo in a folder, with its records below a home. */
async function runDemo(folder: string, home: string): Promise<{ readonly code: number | null; readonly said: string }> {
  const env = { ...process.env, VOXBATCH_HOME: home };
  const child = spawn(process.execPath, [DEMO], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, said };
}

/** The summary of the batch, its duration aside. */
function summaryLines(said: string): readonly string[] {
  const lines = said.split('\n');
  const from = lines.findIndex((line) => line.startsWith('Batch "demo": 30 rows, ended '));
  expect(from).toBeGreaterThan(-1);
  const length = lines.slice(from + 1).findIndex((line) => !line.startsWith('  '));
  return lines.slice(from, from + 1 + length).map((line) => line.replace(/, ended \d+:\d\d /, ' '));
}

/** A line as short as a shown one that ends in `…`. */
function cutLike(line: string, shown: string): string {
  return shown.endsWith('…') ? `${line.slice(0, shown.length - 1)}…` : line;
}
