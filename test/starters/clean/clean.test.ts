import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { clean } from '../../../starters/clean/clean.ts';
import { stemOf } from '../../../store/layout.ts';
import { aBatch, aRow, INTENT } from '../../ledger/setup.ts';
import { addBatch, finish, keyOf } from '../../results/sample-batch.ts';
import { aTerminal, expectRun, json, placeForEach, run } from '../command-line.ts';

const place = placeForEach();
let path: string;

beforeEach(async () => {
  const row = (id: string, text: string) => ({ id, kind: 'tts', input: [id, text] }) as const;
  await addBatch(place, ['id', 'text'], [row('a', 'one'), row('b', 'two')]);
  const { layout } = await place.batch();
  for (const row of [1, 2]) {
    const key = `${stemOf(layout, { row, step: 'speech', take: 1 })}.mp3`;
    path = join(place.folder, 'store', key);
    await finish(place, keyOf(row), await place.store.put(key, `sound ${row}`), 3);
  }
  await place.ledger.closeBatch('demo');
  await run('results');
});

describe('clean', () => {
  it('wants to know what, and that it is meant', async () => {
    await expectRun('clean demo', 2, '--media');
    const would = /^Would remove 2 files of batch "demo" from the store.*\nWould remove what 2 rows .*Add --yes/s;
    await expectRun('clean demo --all', 3, { out: '', err: would });
    await expectRun('clean no-such --all', 2);
    expect(existsSync(path)).toBe(true);
  });

  it('says why rows stay as they are', async () => {
    const { ledger } = place;
    const loading = await ledger.createBatch(aBatch('doubt'));
    await ledger.addRows(loading, [aRow(1)]);
    await ledger.openBatch(loading, 1);
    const key = { ...keyOf(1), batch: 'doubt' };
    await ledger.intend(key, INTENT);
    await ledger.settle(key, { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.closeBatch('doubt');
    const out = '1 row stays as it is: it may have been charged, or its job may still end.';
    await expectRun('clean doubt --media --dry-run', 0, { out });
  });

  it('asks a person, with what would go', async () => {
    const { output, lines } = aTerminal();
    const answer = (yes: boolean): Promise<string> =>
      clean('demo', { media: true }, { output }, () => Promise.resolve(yes));
    await expect(answer(false)).rejects.toThrow('Nothing was removed');
    expect(lines.out).toBe('');
    expect(lines.err).toContain('Would remove 2 files of batch "demo" from the store, 14 bytes: 0 bytes would be free');
    expect(existsSync(path)).toBe(true);
    expect(await answer(true)).toBe('complete');
    expect(existsSync(path)).toBe(false);
  });

  it('tells media apart that stay in an out folder, and leaves the files there', async () => {
    const value = { dry_run: true, media: { files: 2, bytes: 14, freed: 0 }, rows: 2, in_doubt: 0 };
    expect(await json('clean demo --media --dry-run')).toMatchObject({ code: 0, value });
    const stay = '14 bytes have other names (out folders, other batches) and stay there';
    await expectRun('clean demo --media --yes', 0, { out: [stay, 'Its bill stays'] });
    expect(await readFile('out/demo/media/a.mp3', 'utf8')).toBe('sound 1');
    for (const command of ['verify', 'results']) await expectRun(`${command} demo`, 0);
    const removed = 'were removed from the store (voxbatch clean or cache prune)';
    await expectRun('results demo --out anew', 0, removed);
    await expectRun('status demo', 0, { out: 'its media were removed from the store at ' });
    await expectRun('explain a demo', 0, { out: 'since removed from the store' });
  });

  it('lets verify advise no redrive of rows that cannot be run again', async () => {
    await run('clean demo --all --yes');
    await rm('out/demo/media/a.mp3');
    const err = 'to make them again at a new charge, run the manifest as a new batch.';
    await expectRun('verify demo', 15, { err, not: 'voxbatch redrive' });
  });

  it('says so where nothing is left to remove', async () => {
    await run('clean demo --all --yes');
    for (const flag of ['--yes', '--dry-run'])
      expect((await expectRun(`clean demo --all ${flag}`, 0)).stdout).toBe(
        'Nothing is left of the files of batch "demo" in the store.\n' +
          'Nothing is left of what the rows of batch "demo" asked for. It cannot be run or written again.\n' +
          'Its bill stays: outcomes, requests, charges. Its name stays taken.\n',
      );
    expect((await json('clean demo --all --yes')).value).toMatchObject({ rows: 0, media: { files: 0 } });
  });

  it('keeps the bill of a batch whose rows it empties, and refuses what needs them', async () => {
    const before = await json('status demo');
    await expectRun('clean demo --all --yes', 0, { out: 'what 2 rows of batch "demo" asked for' });
    const { code, value } = await json('status demo');
    const { outcomes, credits } = before.value;
    expect({ code, value }).toMatchObject({ code: before.code, value: { outcomes, credits } });
    const removed = 'Input: removed (voxbatch clean)';
    await expectRun('explain a demo', 0, {
      out: [removed, "charged 3 (the API's figure)", 'It cannot be run again: what it asked for was removed.'],
    });
    for (const command of ['results demo', 'redrive demo --rows a'])
      await expectRun(command, 2, { out: '', err: 'asked for was removed' });
    // What was written before stays as it was.
    expect(await readFile('out/demo/results.csv', 'utf8')).toContain('a,one,');
    await expectRun('verify demo', 0);
  });
});
