import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOrLoadBatch, type LoadAnswer, type LoadRequest } from '../../batches/load-batch.ts';
import type { Subset } from '../../contract/subset.ts';
import { openManifest, type ManifestSource } from '../../inputs/manifest-source.ts';
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
    const checked = await summarizeManifest(await openLines(LINES), OPTIONS);
    const identity = { ...IDENTITY, digest: checked.digest ?? '' };
    await place.ledger.createBatch({ ...identity, settings: settingsOf({}), columns: ['id'], source: 'lines.csv' });
    expect(await load()).toMatchObject({ type: 'new', batch: { state: 'open', rows: 2, columns: checked.columns } });
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

async function openLines(content: string): Promise<ManifestSource> {
  const file = join(place.folder, 'lines.csv');
  await writeFile(file, content);
  return openManifest(file);
}
