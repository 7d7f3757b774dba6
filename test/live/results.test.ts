import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { demux, hearMp3, hearPcm } from '../simulator/hear.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 20;
const OUT = ['out', 'lines'] as const;

/** Rows of all kinds with texts of many lengths, in several scripts, and each format that can be played here. */
function manifest(): string {
  const texts = [
    'Hi.',
    'A line of ordinary length, as a narrator reads it.',
    '你好，世界。',
    'Émile dit: „Ça va?“ 日本',
  ];
  const lines = Array.from({ length: ROWS }, (_, at) => {
    const text = `"${String(at)} ${texts[at % texts.length] ?? ''}"`;
    const [audio, video] = [`https://media.example/a-${String(at)}.mp3?seconds=2.5`, `https://media.example/v.mp4`];
    const format = at % 3 === 0 ? 'wav' : at % 3 === 1 ? 'mp3' : '';
    const cells = [
      ['tts', text, 'narrator', format, '', '', ''],
      ['stt', '', '', '', audio, '', '2.5'],
      ['lip-sync', '', '', '', audio, video, '2.5'],
      ['dub', text, 'narrator', '', '', video, ''],
    ][at % 4];
    return [`row-${String(at).padStart(2, '0')}`, ...(cells ?? [])].join(',');
  });
  return ['id,kind,text,voice,format,audio,video,duration', ...lines, ''].join('\n');
}

let world: LiveWorld;
let summary: Record<string, unknown>;

/** The bytes of every file below the out folder, by name. */
async function contents(): Promise<Map<string, string>> {
  const entries = await readdir(world.path(...OUT), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = files.sort().map(async (file) => [file, (await readFile(file)).toString('base64')] as const);
  return new Map(await Promise.all(read));
}

const simulated = (): number => world.simulator.ledger().reduce((sum, { credits }) => sum + credits, 0);

/** Finishes a batch, answers drawn with a seed, in a world for the tests of a block; the first two of them are about the batch alone. */
function finishBatch(seed: number, tts: 'job' | 'sync', server: boolean): void {
  beforeAll(async () => {
    world = await LiveWorld.open({ seed, createMs: [5, 20], jobMs: [50, 200], server, rows: 0 });
    await world.write('lines.csv', manifest());
    expect(await world.run(['run', 'lines.csv', '--tts', tts])).toMatchObject({ code: 0 });
    summary = JSON.parse(await world.read(...OUT, 'summary.json')) as Record<string, unknown>;
  });

  it('bills what the API charged, row by row and as a whole', async () => {
    const rows = [...(await world.results('lines')).values()];
    expect(rows).toHaveLength(ROWS);
    const billed = rows.reduce((sum, { _credits }) => sum + Number(_credits), 0);
    expect(billed).toBe(simulated());
    expect(summary).toMatchObject({
      outcomes: { succeeded: ROWS },
      credits: { charged: billed, reserved: 0, uncertain: 0 },
    });
    for (const { _outcome, _credits } of rows) {
      expect(_outcome).toBe('succeeded');
      expect(_credits).toBeGreaterThan(0);
    }
    expect((await world.read(...OUT, 'receipts.jsonl')).trim().split('\n')).toHaveLength(ROWS + ROWS / 4);
  });

  it('has media that play, as long as they should, under the extension of what they are', async () => {
    for (const row of (await world.results('lines')).values()) {
      const file = String(row['_file']);
      const bytes = await readFile(world.path(...OUT, file));
      const extension = file.slice(file.lastIndexOf('.') + 1);
      const spoken = Math.max(0.5, Array.from(String(row['text'])).length / 15);
      switch (row['_kind']) {
        case 'stt':
          expect(extension).toBe('txt');
          expect(bytes.toString('utf8').trim()).toBe(String(row['_text']).trim());
          break;
        case 'tts': {
          expect(extension).toBe(row['format'] === 'wav' ? 'wav' : 'mp3');
          if (extension === 'wav') expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
          const heard =
            extension === 'wav' ? hearPcm(bytes.subarray(44), bytes.readUInt32LE(24)) : await hearMp3(bytes);
          expect(heard.errors).toBe(0);
          expect(heard.rms).toBeGreaterThan(0.05);
          expect(Math.abs(heard.seconds - spoken)).toBeLessThan(0.1);
          break;
        }
        default: {
          expect(extension).toBe('mp4');
          expect(bytes.toString('latin1', 4, 8)).toBe('ftyp');
          const [video, audio] = demux(bytes);
          const heard = await hearMp3(Buffer.concat(audio?.samples ?? []));
          expect(heard.errors).toBe(0);
          expect(Math.abs(heard.seconds - (row['_kind'] === 'dub' ? spoken : 2.5))).toBeLessThan(0.1);
          expect(video?.samples.length).toBeGreaterThan(0);
        }
      }
    }
  });
}

describe('a finished batch of synchronous speech', () => {
  finishBatch(2, 'sync', true);
});

describe('a finished batch, and its files', () => {
  finishBatch(3, 'job', false);

  it('is written again byte for byte when its folder is lost, for nothing', async () => {
    expect(await world.run(['results', 'lines'])).toMatchObject({ code: 0 });
    const before = await contents();
    expect(before.size).toBeGreaterThan(ROWS);
    const asked = (await world.statistics()).endpoints;
    await rm(world.path('out'), { recursive: true });
    expect(await world.run(['results', 'lines'], { env: { VOXBATCH_API_TOKEN: undefined } })).toMatchObject({
      code: 0,
    });
    expect(await contents()).toEqual(before);
    expect(await world.run(['verify', 'lines'])).toMatchObject({ code: 0 });
    expect((await world.statistics()).endpoints).toEqual(asked);
  });

  it('can be looked at while nothing runs, and nothing is started for it', async () => {
    const none = { VOXBATCH_API_TOKEN: undefined, VOXBATCH_API_URL: undefined, VOXBATCH_TEMPORAL_CLI: '/nowhere' };
    const asked = (await world.statistics()).endpoints;
    const status = await world.run(['status', 'lines', '--json'], { env: none });
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({ batch: 'lines', rows: ROWS, done: ROWS, state: 'closed' });
    const explain = await world.run(['explain', 'row-03'], { env: none });
    expect(explain.code).toBe(0);
    for (const word of ['speech', 'lip-sync', 'succeeded']) expect(explain.stdout).toContain(word);
    const list = await world.run(['list'], { env: none });
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining('lines') });
    expect(await world.server()).toBeUndefined();
    expect(world.processes()).toEqual([]);
    expect((await world.statistics()).endpoints).toEqual(asked);
  });
});

it('a transcript has subtitles beside it exactly where the API gave times', async () => {
  for (const [times, hasThem] of [
    ['start_ms-end_ms', true],
    ['untimed', false],
  ] as const) {
    const own = await LiveWorld.open({ server: true, shape: `segments.times=${times}`, createMs: [5, 20] });
    await own.write('talk.csv', 'id,audio\ntalk,https://media.example/hello-big-world.mp3?seconds=9\n');
    expect(await own.run(['run', 'talk.csv'])).toMatchObject({ code: 0 });
    const files = (await readdir(own.path('out', 'talk', 'media'))).sort();
    expect(files).toEqual(hasThem ? ['talk.srt', 'talk.txt', 'talk.vtt'] : ['talk.txt']);
    if (!hasThem) continue;
    const stamp = String.raw`\d\d:\d\d:\d\d`;
    expect(await own.read('out', 'talk', 'media', 'talk.srt')).toMatch(
      new RegExp(`^1\\n${stamp},\\d{3} --> ${stamp},\\d{3}\\n.+\\n`),
    );
    expect(await own.read('out', 'talk', 'media', 'talk.vtt')).toMatch(
      new RegExp(`^WEBVTT\\n\\n(?:1\\n)?${stamp}\\.\\d{3} --> ${stamp}\\.\\d{3}\\n.+\\n`),
    );
    expect(await own.run(['verify', 'out/talk'])).toMatchObject({ code: 0 });
  }
});
