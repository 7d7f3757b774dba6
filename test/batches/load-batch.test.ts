import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOrLoadBatch, type LoadAnswer, type LoadRequest } from '../../batches/load-batch.ts';
import type { Subset } from '../../contract/subset.ts';
import { openManifest, type ManifestSource } from '../../inputs/manifest-source.ts';
import { LoadTakenOver } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { NewBatch } from '../../ledger/batches/batch-records.ts';
import { fileLocks } from '../../ledger/sqlite/locks.ts';
import { summarizeManifest } from '../../inputs/read-manifest.ts';
import { settingsOf } from '../activities/rows.ts';
import { OPTIONS } from '../inputs/manifest-file.ts';
import { freshPlace } from '../support/place.ts';
import { ANN } from '../support/ann.ts';

const LINES = 'id,text,voice\na,One.,narrator\nb,Two.,narrator\n';
const IDENTITY = { name: 'lines', apiUrl: 'https://api.example/api/open/v1', account: 'u1' };

const place = freshPlace();

/** Loads a manifest with this content as the batch `lines`. */
async function load(
  content = LINES,
  more: Partial<LoadRequest> = {},
  subset: Subset | null = null,
): Promise<LoadAnswer> {
  const source = await openLines(content);
  const options = { ...OPTIONS, subset };
  const checked = await summarizeManifest(source, options);
  return findOrLoadBatch({
    ledger: place.ledger,
    source,
    options,
    identity: { ...IDENTITY, digest: checked.digest ?? '' },
    settings: settingsOf({}),
    givesReading: false,
    givesTemplate: false,
    checked,
    by: ANN,
    ...more,
  });
}

describe('findOrLoadBatch', () => {
  it('loads a new manifest with all its rows, once', async () => {
    const first = await load();
    expect(first).toMatchObject({ type: 'new', batch: { name: 'lines', state: 'open', rows: 2 } });
    expect((await place.ledger.readRow('lines', 2))?.row).toMatchObject({ id: 'b', input: ['b', 'Two.', 'narrator'] });
    expect(await load()).toEqual({ type: 'known', batch: first.type === 'new' && first.batch });
  });

  it('records the ids of voices that are named, and the cells as they are', async () => {
    const content = 'id,text,voice\na,One.,name:Ada\nb,Two.,narrator\n';
    const meant = { type: 'listed', id: 'v-1', isInTraining: false } as const;
    const known = { ...OPTIONS, voices: new Map([['name:Ada', meant]]) };
    const first = await load(content, { options: known });
    expect((await place.ledger.readRow('lines', 1))?.row).toMatchObject({
      spec: { voice: 'v-1' },
      input: ['a', 'One.', 'name:Ada'],
    });
    expect((await place.ledger.readRow('lines', 2))?.row.spec).toMatchObject({ voice: 'narrator' });
    // The same manifest again is the same batch, whatever the list says by now.
    expect(await load(content)).toMatchObject({ type: 'known' });
    expect(first).toMatchObject({ type: 'new' });
  });

  it('waits for a load by whoever came to the ledger by another path', async () => {
    const file = place.ledger.place;
    const other = `${file}-by-link`;
    await symlink(file, other);
    await load(LINES, { ledger: { ...place.ledger, ...fileLocks(other) } });
    expect([existsSync(`${file}.loading`), existsSync(`${other}.loading`)]).toEqual([true, false]);
  });

  it('notes how the manifest is written', async () => {
    expect((await load('\uFEFFid;text;voice\na;One, two.;narrator\n')).batch.settings.table).toEqual({
      delimiter: ';',
      bom: true,
    });
  });

  it('loads rows that are not chosen, too, and they have ended', async () => {
    expect(await load(LINES, {}, { type: 'limit', rows: 1 })).toMatchObject({ type: 'new', batch: { rows: 2 } });
    expect((await place.ledger.readRow('lines', 1))?.row).toMatchObject({ outcome: null });
    expect((await place.ledger.readRow('lines', 2))?.row).toMatchObject({ outcome: 'skipped', quoted: 2 });
  });

  it('begins a load anew that was killed', async () => {
    const killed = await batchOf(LINES);
    await place.ledger.createBatch({ ...killed, columns: ['id'] });
    expect(await load()).toMatchObject({ type: 'new', batch: { state: 'open', rows: 2, columns: killed.columns } });
  });

  describe('whose lock is lost', () => {
    it('finds the batch of the start that took it over', async () => {
      let other: LoadAnswer | undefined;
      const first = await loadInterrupted(async () => (other = await load(LINES, { ledger: withoutLock() })));
      expect(other).toMatchObject({ type: 'new', batch: { state: 'open', rows: 2 } });
      expect(first).toEqual({ type: 'known', batch: other?.type === 'new' && other.batch });
      expect(await place.ledger.counts('lines')).toMatchObject({ total: 2 });
    });

    it('is told that the name is taken if that start had another manifest', async () => {
      const first = await loadInterrupted(() => load(`${LINES}c,Three.,narrator\n`, { ledger: withoutLock() }));
      expect(first).toMatchObject({ type: 'taken', differs: 'manifest', batch: { rows: 3 } });
    });

    it('loads all rows again if that start has ended before its last', async () => {
      const first = await loadInterrupted(async () => {
        await place.ledger.discardLoading('lines');
        await place.ledger.createBatch(await batchOf(LINES));
      });
      expect(first).toMatchObject({ type: 'new', batch: { state: 'open', rows: 2 } });
      expect(await place.ledger.counts('lines')).toMatchObject({ total: 2 });
    });

    it('makes no batch if whoever took it over wanted none', async () => {
      await expect(loadInterrupted(() => place.ledger.discardLoading('lines'))).rejects.toThrow(LoadTakenOver);
      expect(await place.ledger.findBatch('lines')).toBeUndefined();
    });

    it('gives up where that happens again and again, as with a lock that keeps nobody out', async () => {
      let times = 0;
      const takeOver = async (): Promise<void> => {
        times += 1;
        await place.ledger.discardLoading('lines');
        await place.ledger.createBatch(await batchOf(LINES));
      };
      const failed = loadInterrupted(takeOver, Infinity);
      await expect(failed).rejects.toThrow(/^The rows of this manifest were not loaded: another start/);
      expect(times).toBe(3);
      expect(await place.ledger.findBatch('lines')).toMatchObject({ state: 'loading', rows: 0 });
    });
  });

  it('says in what the batch that has the name differs, and changes nothing', async () => {
    const first = await load();
    const digest = first.batch.digest;
    const other = (more: Partial<LoadRequest['identity']>): Partial<LoadRequest> => ({
      identity: { ...IDENTITY, digest, ...more },
    });
    expect(await load(LINES, other({ apiUrl: 'https://other.example', account: 'u2' }))).toMatchObject({
      type: 'taken',
      differs: 'api',
      canRedrive: false,
    });
    expect(await load(LINES, other({ account: 'u2' }))).toMatchObject({ differs: 'account' });
    const settings = settingsOf({
      nameTemplate: '{row}.{ext}',
      reading: { ...first.batch.settings.reading, kind: 'tts' },
    });
    expect(await load(LINES, { settings, givesReading: true })).toMatchObject({ differs: 'reading' });
    const legacy = settingsOf({ reading: { ...first.batch.settings.reading, legacyShare: 1 } });
    expect(await load(LINES, { settings: legacy, givesReading: true })).toMatchObject({ differs: 'dialect' });
    expect(await load(LINES, { settings: legacy })).toMatchObject({ type: 'known' });
    expect(await load(LINES, { settings, givesTemplate: true })).toMatchObject({ differs: 'file-names' });
    expect(await load(LINES, { settings })).toEqual({ type: 'known', batch: first.batch });
  });

  it('tells whether an edited manifest can be taken over: its rows need ids of their own', async () => {
    await load();
    const taken = { type: 'taken', differs: 'manifest' };
    expect(await load(LINES.replace('One.', 'Eins.'))).toMatchObject({ ...taken, canRedrive: true });
    expect(await load('text,voice\nOne.,narrator\n')).toMatchObject({ ...taken, canRedrive: false });
    expect(await load(`${LINES}new,Three.,narrator\n`)).toMatchObject({ ...taken, canRedrive: false });
  });
});

/** The ledger for a start that gets the lock although another one loads. */
function withoutLock(): Ledger {
  return { ...place.ledger, lockForLoading: () => Promise.resolve(() => undefined) };
}

/** Loads {@link LINES}; before its rows are added, somebody else does this, so many times. */
function loadInterrupted(interrupt: () => Promise<unknown>, times = 1): Promise<LoadAnswer> {
  let left = times;
  const addRows: Ledger['addRows'] = async (...args) => {
    if (left-- > 0) await interrupt();
    return place.ledger.addRows(...args);
  };
  return load(LINES, { ledger: { ...place.ledger, addRows } });
}

/** The batch that a start makes of a manifest. */
async function batchOf(content: string): Promise<NewBatch> {
  const { columns, digest } = await summarizeManifest(await openLines(content), OPTIONS);
  return { ...IDENTITY, digest: digest ?? '', settings: settingsOf({}), columns, source: 'lines.csv' };
}

async function openLines(content: string): Promise<ManifestSource> {
  const file = join(place.folder, 'lines.csv');
  await writeFile(file, content);
  return openManifest(file);
}
