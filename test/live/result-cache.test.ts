/** @slow */
import { chmod, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inRanges, startMediaServer, tagged, type MediaServer } from '../inputs/media-server.ts';
import { LiveWorld, type Ended } from '../support/live-world.ts';

/** The result cache on the real server; charges are counted in the simulator. */

const ROWS = 12;
const CONFIG = JSON.stringify({ polling: { firstLookMs: 200, gapMs: 200 }, assumeSeconds: 2 });

/** What the rows say: a quote, a delimiter, a line break, and a character that can be written in two ways. */
const TEXTS = Array.from({ length: ROWS }, (_, at) => `Caf\u00e9 ${String(at)}; "quoted", and so on`);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** A manifest with these cells in front of each row. */
function table(texts: readonly string[], { delimiter = ',', end = '\n', more = '' } = {}): string {
  const header = ['text', 'voice', ...(more === '' ? [] : ['note'])].join(delimiter);
  const lines = texts.map((text) => [quoted(text), 'anna', ...(more === '' ? [] : [more])].join(delimiter));
  return [header, ...lines, ''].join(end);
}

/** The same rows, written otherwise. */
const WAYS: readonly (readonly [what: string, file: string, content: string])[] = [
  ['reordered', 'reordered.csv', table(TEXTS.toReversed())],
  ['with a byte order mark, semicolons and CRLF', 'bom.csv', `\uFEFF${table(TEXTS, { delimiter: ';', end: '\r\n' })}`],
  ['by tabs', 'tabs.tsv', table(TEXTS, { delimiter: '\t' })],
  ['as JSON lines', 'lines.jsonl', TEXTS.map((text) => `${JSON.stringify({ voice: 'anna', text })}\n`).join('')],
  ['with a column that is carried along', 'carried.csv', table(TEXTS, { more: 'for the archive' })],
  ['in another Unicode form', 'decomposed.csv', table(TEXTS.map((text) => text.normalize('NFD')))],
];

/** The lines of the results of a batch whose rows have no ids of their own. */
async function rowsOf(world: LiveWorld, batch: string): Promise<readonly Record<string, unknown>[]> {
  const lines = (await world.read('out', batch, 'results.jsonl')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function outcomesOf(world: LiveWorld, batch: string): Promise<readonly unknown[]> {
  return (await rowsOf(world, batch)).map((row) => row['_outcome']);
}

/** Every media file in the store. */
async function filesInStore(world: LiveWorld): Promise<readonly string[]> {
  const entries = await readdir(world.path('.voxbatch', 'store'), { recursive: true, withFileTypes: true });
  return entries
    .filter((one) => one.isFile() && one.name.endsWith('.mp3'))
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
}

describe('a batch of what another batch has made', () => {
  let world: LiveWorld;
  beforeAll(async () => {
    world = await LiveWorld.withServer({ seed: 71, createMs: [5, 20], jobMs: [50, 200] });
    await world.confirm(CONFIG);
    await world.write('first.csv', table(TEXTS));
    expect(await world.run(['run', 'first.csv'])).toMatchObject({ code: 0 });
    expect(world.simulator.ledger()).toHaveLength(ROWS);
  });
  afterAll(() => world.close());

  async function expectCached(file: string, flags: readonly string[] = []): Promise<Ended> {
    const paid = world.simulator.ledger().length;
    const ended = await world.run(['run', file, ...flags]);
    expect(ended).toMatchObject({ code: 0 });
    const batch = file.replace(/\.[a-z]+$/, '');
    expect(await outcomesOf(world, batch)).toEqual(TEXTS.map(() => 'cached'));
    expect(world.simulator.ledger()).toHaveLength(paid);
    expect(await world.run(['verify', batch])).toMatchObject({ code: 0 });
    return ended;
  }

  it.each(WAYS)('%s: nothing is paid, and every row is cached', async (_, file, content) => {
    await world.write(file, content);
    const { stderr } = await expectCached(file);
    expect(stderr).toMatch(/saved by earlier results/);
  });

  it('costs nothing either where nothing may be paid for, and says which row each result came from', async () => {
    await world.write('only.csv', table(TEXTS));
    await expectCached('only.csv', ['--cached-only']);
    const { stdout } = await world.run(['explain', '1', '--batch', 'only']);
    expect(stdout).toMatch(/result: that of the speech of row \d+ of batch "/);
  });

  it('is paid for with --fresh, with --no-cache, and by another account', async () => {
    await world.write('again.csv', table(TEXTS.slice(0, 2)));
    const paid = world.simulator.ledger().length;
    expect(await world.run(['run', 'again.csv', '--name', 'fresh', '--fresh'])).toMatchObject({ code: 0 });
    expect(await world.run(['run', 'again.csv', '--name', 'off', '--no-cache'])).toMatchObject({ code: 0 });
    expect(world.simulator.ledger()).toHaveLength(paid + 4);
    await world.changeSimulator({ token: 'another-account' });
    const env = { VOXBATCH_API_TOKEN: 'another-account' };
    expect(await world.run(['run', 'again.csv', '--name', 'theirs'], { env })).toMatchObject({ code: 0 });
    expect(await outcomesOf(world, 'theirs')).toEqual(['succeeded', 'succeeded']);
    expect(world.simulator.ledger()).toHaveLength(paid + 6);
    await world.changeSimulator({ token: world.simulator.token });
  });
});

describe('earlier results whose files are damaged', () => {
  it('are found by their hashes; their rows are paid for anew, and the summary says so', async () => {
    const world = await LiveWorld.withServer({ seed: 72, createMs: [5, 20], jobMs: [50, 200] });
    try {
      await world.confirm(CONFIG);
      await world.write('first.csv', table(TEXTS));
      expect(await world.run(['run', 'first.csv'])).toMatchObject({ code: 0 });
      const [altered = '', cut = '', gone = ''] = await filesInStore(world);
      for (const path of [altered, cut]) await chmod(path, 0o644);
      await writeFile(altered, 'not what was paid for');
      await truncate(cut, 100);
      await rm(gone);
      await world.write('second.csv', table(TEXTS.toReversed()));
      const ended = await world.run(['run', 'second.csv']);
      expect(ended).toMatchObject({ code: 0 });
      expect(ended.stderr).toMatch(/3 earlier results were missing or altered/);
      const outcomes = await outcomesOf(world, 'second');
      expect(outcomes.filter((outcome) => outcome === 'succeeded')).toHaveLength(3);
      expect(outcomes.filter((outcome) => outcome === 'cached')).toHaveLength(ROWS - 3);
      expect(world.simulator.ledger()).toHaveLength(ROWS + 3);
      const summary = JSON.parse(await world.read('out', 'second', 'summary.json')) as object;
      expect(summary).toMatchObject({ credits: { damaged: 3 } });
      expect(await world.run(['verify', 'second'])).toMatchObject({ code: 0 });
    } finally {
      await world.close();
    }
  });
});

describe('a dub whose video is another', () => {
  let server: MediaServer;
  let world: LiveWorld;
  beforeAll(async () => {
    const film = (content: string, etag: string) => tagged(inRanges(Buffer.from(content), 'video/mp4'), etag);
    server = await startMediaServer({ '/one.mp4': film('one', '"1"'), '/other.mp4': film('other', '"2"') });
    world = await LiveWorld.withServer({ seed: 73, createMs: [5, 20], jobMs: [50, 200] });
    await world.confirm(CONFIG);
  });
  afterAll(async () => {
    await server.close();
    await world.close();
  });

  async function dub(name: string, video: string): Promise<readonly string[]> {
    const paid = world.simulator.ledger().length;
    await world.write(`${name}.csv`, `text,voice,video\nGood evening.,anna,${server.url}/${video}\n`);
    expect(await world.run(['run', `${name}.csv`])).toMatchObject({ code: 0 });
    return world.simulator
      .ledger()
      .slice(paid)
      .map(({ operation }) => operation);
  }

  it('keeps its speech; the same video costs nothing at all', async () => {
    expect(await dub('first', 'one.mp4')).toEqual(['speech-job', 'lip-sync-job']);
    expect(await dub('second', 'other.mp4')).toEqual(['lip-sync-job']);
    expect(await dub('third', 'one.mp4')).toEqual([]);
    expect(await outcomesOf(world, 'third')).toEqual(['cached']);
    for (const { headers } of server.requests) expect(headers).not.toHaveProperty('authorization');
  });
});

describe('two batches that want the same results at the same time', () => {
  const MANY = 200;

  it('pay once for each, also where one is killed in the middle', async () => {
    const world = await LiveWorld.create({ seed: 74, createMs: [5, 40], jobMs: [200, 1_000] });
    try {
      await world.confirm(CONFIG);
      const texts = Array.from({ length: MANY }, (_, at) => `Line ${String(at)} of both.`);
      await world.write('one.csv', table(texts));
      await world.write('two.csv', table(texts.toReversed()));
      const [killed, other] = [world.start(['run', 'one.csv']), world.start(['run', 'two.csv'])];
      await world.untilCharged(60);
      killed.child.kill('SIGKILL');
      await killed.ended;
      const ends = [await other.ended, await world.run(['run', 'one.csv'])];
      for (const { code } of ends) expect([0, 13]).toContain(code);

      const rows = [...(await rowsOf(world, 'one')), ...(await rowsOf(world, 'two'))];
      expect(rows).toHaveLength(2 * MANY);
      const unknown = rows.filter((row) => row['_outcome'] === 'unknown');
      for (const row of rows) expect(['succeeded', 'cached', 'unknown']).toContain(row['_outcome']);
      // Only a result whose first answer was lost may have been paid for by the other batch, too; it is named.
      const lost = new Set(unknown.map((row) => row['text']));
      const charged = new Map<string, number>();
      for (const { text = '' } of world.simulator.ledger()) charged.set(text, (charged.get(text) ?? 0) + 1);
      const twice = [...charged].filter(([text, times]) => times > (lost.has(text) ? 2 : 1));
      expect(twice).toEqual([]);
      expect(charged.size).toBe(MANY);
      expect(world.doubleCharges()).toEqual([]);
      for (const batch of ['one', 'two']) {
        expect([0, 13]).toContain((await world.run(['verify', batch])).code);
      }
      process.stderr.write(
        `two batches: ${String(world.simulator.ledger().length)} charges, ${String(lost.size)} lost\n`,
      );
    } finally {
      await world.close();
    }
  });
});
