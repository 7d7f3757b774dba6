import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { clean } from '../../../starters/clean/clean.ts';
import { stemOf } from '../../../store/layout.ts';
import { addBatch, finish, keyOf } from '../../results/sample-batch.ts';
import { capture, run, json } from '../command-line.ts';
import { placeForEach } from '../place-for-each.ts';

const { place } = placeForEach();
let path: string;

beforeEach(async () => {
  await addBatch(
    place,
    ['id', 'text'],
    [
      { id: 'a', kind: 'tts', input: ['a', 'one'] },
      { id: 'b', kind: 'tts', input: ['b', 'two'] },
    ],
  );
  const { layout } = await place.batch();
  const put = async (row: number): Promise<void> => {
    const key = `${stemOf(layout, { row, step: 'speech', take: 1 })}.mp3`;
    path = join(place.folder, 'store', key);
    await finish(place, keyOf(row), await place.store.put(key, `sound ${row}`), 3);
  };
  await put(1);
  await put(2);
  await place.ledger.closeBatch('demo');
  await run('results');
});

describe('clean', () => {
  it('wants to know what, and that it is meant', async () => {
    const what = await run('clean', 'demo');
    expect(what).toMatchObject({ code: 2 });
    expect(what.stderr).toContain('--media');
    const meant = await run('clean', 'demo', '--all');
    expect(meant).toMatchObject({ code: 3, stdout: '' });
    expect(meant.stderr).toMatch(
      /^Would remove 2 files of batch "demo" from the store.*\nWould remove what 2 rows .*Add --yes/s,
    );
    expect((await run('clean', 'no-such', '--all')).code).toBe(2);
    expect(existsSync(path)).toBe(true);
  });

  it('asks a person, with what would go', async () => {
    const lines = { out: '', err: '' };
    const output = { ...capture(lines), isInteractive: true };
    const answer = (yes: boolean): Promise<string> =>
      clean('demo', { media: true }, { output }, () => Promise.resolve(yes));
    await expect(answer(false)).rejects.toThrow('Nothing was removed');
    expect(lines).toMatchObject({ out: '' });
    expect(lines.err).toContain('Would remove 2 files of batch "demo" from the store, 14 bytes: 0 bytes would be free');
    expect(existsSync(path)).toBe(true);
    expect(await answer(true)).toBe('complete');
    expect(existsSync(path)).toBe(false);
  });

  it('tells media apart that stay in an out folder, and leaves the files there', async () => {
    const shown = await json('clean', 'demo', '--media', '--dry-run', '--json');
    const media = { files: 2, bytes: 14, freed: 0 };
    expect(shown).toMatchObject({ code: 0, value: { dry_run: true, media, rows: 2, in_doubt: 0 } });
    const { code, stdout } = await run('clean', 'demo', '--media', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('14 bytes have other names (out folders, other batches) and stay there');
    expect(stdout).toContain('Its bill stays');
    expect(await readFile('out/demo/media/a.mp3', 'utf8')).toBe('sound 1');
    expect((await run('verify', 'demo')).code).toBe(0);
    expect((await run('results', 'demo')).code).toBe(0);
    const anew = await run('results', 'demo', '--out', 'anew');
    expect(anew.code).toBe(0);
    expect(anew.stderr).toContain('were removed from the store (voxbatch clean or cache prune)');
    expect((await run('status', 'demo')).stdout).toContain('its media were removed from the store at ');
    expect((await run('explain', 'a', 'demo')).stdout).toContain('since removed from the store');
  });

  it('lets verify advise no redrive of rows that cannot be run again', async () => {
    await run('clean', 'demo', '--all', '--yes');
    await rm('out/demo/media/a.mp3');
    const { code, stderr } = await run('verify', 'demo');
    expect(code).toBe(15);
    expect(stderr).toContain('to make them again at a new charge, run the manifest as a new batch.');
    expect(stderr).not.toContain('voxbatch redrive');
  });

  it('says so where nothing is left to remove', async () => {
    await run('clean', 'demo', '--all', '--yes');
    for (const flag of ['--yes', '--dry-run']) {
      const { code, stdout } = await run('clean', 'demo', '--all', flag);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout:
          'Nothing is left of the files of batch "demo" in the store.\n' +
          'Nothing is left of what the rows of batch "demo" asked for. It cannot be run or written again.\n' +
          'Its bill stays: outcomes, requests, charges. Its name stays taken.\n',
      });
    }
    const { value } = await json('clean', 'demo', '--all', '--yes', '--json');
    expect(value).toMatchObject({ rows: 0, media: { files: 0 } });
  });

  it('keeps the bill of a batch whose rows it empties, and refuses what needs them', async () => {
    const before = await json('status', 'demo', '--json');
    expect((await run('clean', 'demo', '--all', '--yes')).stdout).toContain('what 2 rows of batch "demo" asked for');
    const { code, value } = await json('status', 'demo', '--json');
    expect({ code, outcomes: value['outcomes'], credits: value['credits'] }).toEqual({
      code: before.code,
      outcomes: before.value['outcomes'],
      credits: before.value['credits'],
    });
    const explained = (await run('explain', 'a', 'demo')).stdout;
    expect(explained).toContain('Input: removed (voxbatch clean)');
    expect(explained).toContain("charged 3 (the API's figure)");
    expect(explained).toContain('so it cannot be run again');
    for (const command of [
      ['results', 'demo'],
      ['redrive', 'demo', '--rows', 'a'],
    ]) {
      const refused = await run(...command);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('asked for was removed');
    }
    // What was written before stays as it was.
    expect(await readFile('out/demo/results.csv', 'utf8')).toContain('a,one,');
    expect((await run('verify', 'demo')).code).toBe(0);
  });
});
