import { existsSync } from 'node:fs';
import { link, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readMediaIdentities } from '../../../batches/cache/media-identities.ts';
import { stepKey } from '../../../batches/cache/result-keys.ts';
import { pruneCache } from '../../../batches/cache/prune-cache.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import type { ResultFile } from '../../../ledger/records.ts';
import { prune } from '../../../starters/cache/cache.ts';
import { aBatch, aRow } from '../../ledger/setup.ts';
import { aTerminal, expectRun, json, placeForEach } from '../command-line.ts';
import { ANN } from '../../support/ann.ts';

const place = placeForEach();

const specOf = (row: number): RowSpec => ({ ...aRow(row).spec, voice: row === 1 ? 'anna' : 'ben' });

/** A finished batch of rows that made their results, each of 10 bytes. */
async function make(name: string, rows: readonly number[]): Promise<void> {
  const { ledger, store } = place;
  await load(name, rows);
  const batch = await ledger.findBatch(name);
  if (batch === undefined) throw new Error('no batch');
  for (const row of rows.keys()) {
    const key = { batch: name, row: row + 1, step: 'speech', take: 1, attempt: 1 } as const;
    const resultKey = stepKey(batch, specOf(rows[row] ?? 0), 'speech') ?? '';
    await ledger.intend(key, { quoted: 5, quotedRest: 0, owner: 'w', maxSending: 8, resultKey });
    await ledger.settle(key, { verdict: 'accepted', jobId: `job-${name}-${row}`, credits: 3 }, { state: 'processing' });
    const file = await store.put(`${name}/${String(row + 1)}-speech-1.mp3`, `sound ${name}`.padEnd(10).slice(0, 10));
    await ledger.finishJob(key, { file }, { outcome: 'succeeded', file });
  }
  await ledger.closeBatch(name);
}

/** Loads a batch of these rows, cached. */
async function load(name: string, rows: readonly number[]): Promise<void> {
  const { ledger } = place;
  const { settings, ...batch } = aBatch(name);
  const loading = await ledger.createBatch({ ...batch, settings: { ...settings, cache: 'on' } });
  await ledger.addRows(
    loading,
    rows.map((row, at) => ({ ...aRow(row), row: at + 1, spec: specOf(row) })),
  );
  await ledger.openBatch(loading, rows.length);
}

/** Lets the first row of a new batch have the result of an earlier row, with its own link to the file. */
async function reuse(name: string, row: number): Promise<void> {
  const { ledger } = place;
  await load(name, [row]);
  const batch = await ledger.findBatch(name);
  const key = batch === undefined ? undefined : stepKey(batch, specOf(row), 'speech');
  const [result] = await ledger.findResults([key ?? '']);
  if (result === undefined) throw new Error('no result');
  const file: ResultFile = { ...result.file, key: `${name}/1-speech-1.mp3` };
  await mkdir(dirname(pathOf(file.key)), { recursive: true });
  await link(pathOf(result.file.key), pathOf(file.key));
  const at = { batch: name, row: 1, step: 'speech', take: 1, attempt: 1 } as const;
  await ledger.useResult(at, { result, file, extraFiles: [], saved: 5, owner: 'w' });
}

const pathOf = (key: string): string => join(place.folder, 'store', key);

/** Makes everything of a batch so many days older. */
function age(batch: string, days: number): void {
  const raw = new Database(place.ledger.place);
  const ms = days * 86_400_000;
  raw.prepare('update results set used_at = used_at - ?, made_at = made_at - ? where batch = ?').run([ms, ms, batch]);
  raw.close();
}

const kept = async (): Promise<number> => (await place.ledger.sumResults()).results;
const isThere = (key: string): boolean => existsSync(pathOf(key));
/** What a prune of this says as JSON. */
const prunedBy = async (flags: string): Promise<object> => (await json(`cache prune ${flags} --yes`)).value;

describe('cache list', () => {
  it('says that nothing is kept yet', () => expectRun('cache list', 0, { out: 'No result is kept' }));

  it('adds up by batch, kind, voice and age, each result once', async () => {
    await make('old', [1, 2]);
    await reuse('new', 1);
    age('old', 10);
    const sum = (name: string, entries: number, bytes: number): object => ({ name, entries, bytes });
    expect((await json('cache list')).value).toEqual({
      entries: 3,
      results: 2,
      bytes: 20,
      by_batch: [sum('old', 2, 20), sum('new', 1, 10)],
      by_kind: [sum('tts', 3, 30)],
      by_voice: [sum('anna', 2, 20), sum('ben', 1, 10)],
      by_age: [
        { days: 1, results: 1, bytes: 10 },
        { days: 30, results: 1, bytes: 10 },
      ],
    });
    const out = ['2 results that later rows can use, 20 bytes. 3 rows have one of them.', /anna\s+2\s+20 bytes/];
    await expectRun('cache list', 0, { out });
  });
});

it('cache show names what a result is known by, where it is, and who has it', async () => {
  await make('old', [1]);
  await reuse('new', 1);
  const of = 'result: that of the speech of row 1 of batch "old"';
  const known = ['    voice: anna\n', '    operation: speech-job\n', `${of} (take 1, job job-old-0`];
  const file = /kept by row 1 of "old", .*: 10 bytes, .*store\/old\/1-speech-1\.mp3\n/;
  await expectRun('cache show r1 new', 0, { out: [...known, file, 'also by row 1 of "new"'] });
  const steps = [{ source: null, holders: [{ batch: 'old' }, { batch: 'new' }] }];
  expect((await json('cache show r1 --batch old')).value).toMatchObject({ batch: 'old', steps });
  await expectRun('explain r1 new', 0, { out: of });
});

describe('cache prune', () => {
  beforeEach(async () => {
    await make('old', [1, 2]);
    age('old', 40);
    await make('new', [3]);
  });

  it.each([
    ['--yes', 2],
    ['--older-than 30d', 3],
    ['--keep-bytes much --yes', 2],
  ])('wants to know which results, and that it is meant: %s', async (flags, code) => {
    await expectRun(`cache prune ${flags}`, code);
    expect(await kept()).toBe(3);
  });

  it('removes what was not used for long, and marks it so: the bill stays, nothing is damaged', async () => {
    const uploads = { files: 0, bytes: 0, freed: 0 };
    const gone = { results: 2, needed: 0, media: { files: 2, bytes: 20, freed: 20 }, uploads };
    expect((await json('cache prune --older-than 30d --dry-run')).value).toEqual({ dry_run: true, ...gone });
    expect(await kept()).toBe(3);
    expect(await prunedBy('--older-than 30d')).toEqual({ dry_run: false, ...gone });
    expect([await kept(), isThere('old/1-speech-1.mp3'), isThere('new/1-speech-1.mp3')]).toEqual([1, false, true]);
    expect((await place.ledger.money('old')).charged).toBe(6);
    const pruned = { what: 'prune', by: 'person', rows: 2, results: 2 };
    expect((await json('history old --kind prune')).value).toMatchObject({ actions: [pruned] });
    await expectRun('results old', 0, 'were removed from the store');
  });

  it('measures the age of a result by the ledger’s clock: that of this host may be days ahead', async () => {
    const store = { measure: () => Promise.resolve([]), remove: () => Promise.resolve() };
    const ledger = { ...place.ledger, readClock: () => Promise.resolve(Date.now() - 20 * 86_400_000) };
    const criteria = { olderThanMs: 30 * 86_400_000 };
    const { results } = await pruneCache({
      ledger,
      store,
      criteria,
      identify: () => Promise.resolve(new Map()),
      by: ANN,
    });
    expect(results).toBe(0);
  });

  it('keeps what was used last, up to a size', async () => {
    age('new', 1);
    expect(await prunedBy('--keep-bytes 0.01KB')).toMatchObject({ results: 2 });
    expect(isThere('new/1-speech-1.mp3')).toBe(true);
    expect(await prunedBy('--keep-bytes 1GB')).toMatchObject({ results: 0 });
    expect(await prunedBy('--keep-bytes 5B')).toMatchObject({ results: 1 });
  });

  it('frees a result only with all its names, and keeps one that was reused lately', async () => {
    await reuse('again', 1);
    await place.ledger.closeBatch('again');
    expect(await prunedBy('--older-than 30d')).toMatchObject({ results: 1, media: { files: 1, freed: 10 } });
    for (const batch of ['old', 'again']) age(batch, 40);
    const media = { files: 2, bytes: 10, freed: 10 };
    expect(await prunedBy('--older-than 30d')).toMatchObject({ results: 1, media });
  });

  it('never removes what an open batch has or will look for', async () => {
    await load('open', [2]);
    expect(await prunedBy('--older-than 30d')).toMatchObject({ results: 1, needed: 1 });
    expect(isThere('old/2-speech-1.mp3')).toBe(true);
    const out = '1 more stay, because open batches need them';
    await expectRun('cache prune --older-than 30d --dry-run', 0, { out });
  });

  it('waits for a batch that is being loaded, and keeps what its last rows will look for', async () => {
    const { ledger } = place;
    const { settings, ...batch } = aBatch('loading');
    const loading = await ledger.createBatch({ ...batch, settings: { ...settings, cache: 'on' } });
    const lockForLoading = async (): ReturnType<typeof ledger.lockForLoading> => {
      await ledger.addRows(loading, [{ ...aRow(2), row: 1, spec: specOf(2) }]);
      await ledger.openBatch(loading, 1);
      return ledger.lockForLoading();
    };
    const pruned = await pruneCache({
      ledger: { ...ledger, lockForLoading },
      store: { measure: () => Promise.resolve([]), remove: () => Promise.resolve() },
      criteria: { olderThanMs: 30 * 86_400_000 },
      identify: (urls) => readMediaIdentities(fetch).of(urls),
      by: ANN,
      isDryRun: true,
    });
    expect(pruned).toMatchObject({ results: 1, needed: 1 });
    (await ledger.lockForLoading())();
  });

  it('asks a person, and can be killed and run again', async () => {
    const { output, lines } = aTerminal();
    const refusing = prune({ olderThan: 1 }, { output }, () => Promise.resolve(false));
    await expect(refusing).rejects.toThrow('Nothing was removed');
    expect(lines.err).toContain('Would remove 3 results');
    // Killed after the files and before the records: what is left is found.
    await rm(pathOf('old/1-speech-1.mp3'));
    expect(await prunedBy('--older-than 30d')).toMatchObject({ results: 2, media: { files: 1 } });
  });
});

it('the file that a row keeps for the case that its new take fails is removed by neither prune nor clean while that take is made', async () => {
  await make('old', [1]);
  age('old', 30);
  const { ledger } = place;
  const file = (await ledger.readRow('old', 1))?.row.file?.key ?? '';
  const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
  await ledger.redrive('old', [{ row: 1, take: 1, outcome: 'succeeded', how }]);
  expect((await ledger.readRow('old', 1))?.row).toMatchObject({ outcome: null, file: null });

  await expectRun('cache prune --older-than 1d --yes', 0, { out: '0 results' });
  await expectRun('clean old --media --yes', 2);
  expect(isThere(file)).toBe(true);

  const failure = { class: 'JobFailed', message: 'The job failed.' } as const;
  const key = { batch: 'old', row: 1, step: 'speech', take: 2, attempt: 1 } as const;
  await ledger.intend(key, { quoted: 5, quotedRest: 0, owner: 'w', maxSending: 8 });
  await ledger.settle(key, { verdict: 'rejected', failure }, { outcome: 'failed', failure });
  expect((await ledger.readRow('old', 1))?.row).toMatchObject({ outcome: 'succeeded', file: { key: file } });
});
