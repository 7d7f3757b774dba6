import { describe, expect, it } from '@jest/globals';
import { isBatchName } from '../../../contract/batch-name.ts';
import { isSingle } from '../../../contract/batch.ts';
import {
  readSingleJob,
  singleName,
  type SingleJob,
  type SingleOptions,
  type SoundJob,
} from '../../../batches/single/single-job.ts';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import type { Config } from '../../../inputs/config-file.ts';

const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'user_1' };
const SAY: SingleJob = { command: 'say', kind: 'tts', cells: { text: 'Good morning.', voice: 'anna' } };

async function sound(job: SingleJob, options: SingleOptions = {}, config: Config = {}): Promise<SoundJob> {
  const read = await readSingleJob(job, options, config);
  if (read.type === 'faulty') throw new Error(JSON.stringify(read.problems));
  return read;
}

const TRANSCRIBE: SingleJob = { command: 'transcribe', kind: 'stt', cells: { audio: 'https://media.example/a.mp3' } };

const nameOf = async (job: SingleJob): Promise<string> => singleName(await sound(job), REALM);
const withCells = (cells: SingleJob['cells']): SingleJob => ({ ...SAY, cells: { ...SAY.cells, ...cells } });

describe('a single job', () => {
  it('is read, checked and priced as a row of a manifest', async () => {
    const job = await sound(SAY);
    expect(job.spec).toEqual({ kind: 'tts', text: 'Good morning.', voice: 'anna', extra: {} });
    expect(job.checked.summary).toMatchObject({ rows: 1, quoted: 7, unpriced: 0 });
    expect(isSingle(job)).toBe(true);
    expect(job.settings).toMatchObject({ single: 'say', onEnd: null, notify: null });
  });

  it('is not finished as the rows of batches are', async () => {
    const { settings } = await sound(SAY, {}, { finish: { loudness: -16 } });
    expect(settings.reading).not.toHaveProperty('finish');
  });

  it('has the problems that its row would have', async () => {
    const read = await readSingleJob(withCells({ voice: '', speed: '9' }), {}, {});
    expect(read).toMatchObject({
      type: 'faulty',
      problems: [
        { column: 'voice', code: 'missing-cell' },
        { column: 'speed', code: 'bad-number' },
      ],
    });
    const local = await readSingleJob({ command: 'transcribe', kind: 'stt', cells: { audio: 'talk.mp3' } }, {}, {});
    expect(local).toMatchObject({ type: 'faulty', problems: [{ column: 'audio', code: 'local-file' }] });
  });

  it('keeps text with quotes, lines and other scripts as it is', async () => {
    const text = '"Früh",\nsagte sie — 早上好 {"a":1}';
    expect((await sound(withCells({ text }))).spec.text).toBe(text);
  });

  it('sends api fields as any JSON', async () => {
    const job = await sound(withCells({ 'api.seed': 7, 'api.tags': ['a', 'b'], 'api.mood': 'calm', 'api.code': '7' }));
    expect(job.spec.extra).toEqual({ seed: 7, tags: ['a', 'b'], mood: 'calm', code: '7' });
  });

  it('refuses an api field that the request sets itself', async () => {
    const refused = await readSingleJob(withCells({ 'api.Voice_ID': 'berta' }), {}, {});
    expect(refused).toMatchObject({ type: 'faulty', problems: [{ column: 'api.Voice_ID', code: 'own-field' }] });
  });

  it.each([60, 0.0000001])(
    'is priced at an assumed length of %d s, which is not stated as its own',
    async (seconds) => {
      const { spec, checked } = await sound(TRANSCRIBE, { assumeSeconds: seconds });
      expect(spec).toEqual({ kind: 'stt', audio: 'https://media.example/a.mp3', extra: {} });
      // `--probe` reads the media of rows whose length is only assumed.
      expect(checked.summary).toMatchObject({ quoted: Math.ceil(seconds), unpriced: 0, unmeasured: 1 });
    },
  );
});

describe('the name of its batch', () => {
  it('is that of the command and a digest, valid, and tells nothing of the text', async () => {
    const name = await nameOf(SAY);
    expect(name).toMatch(/^say-[0-9a-f]{12}$/);
    expect(isBatchName(name)).toBe(true);
    expect(singleName(await sound(SAY), REALM, 2)).toBe(`${name}-2`);
  });

  it('is the same for the same job, however it is written', async () => {
    const name = await nameOf(SAY);
    expect(await nameOf({ ...SAY, cells: { voice: ' anna ', text: 'Good morning.', speed: '' } })).toBe(name);
    expect(await nameOf(withCells({ speed: '1.50' }))).toBe(await nameOf(withCells({ speed: '1.5' })));
  });

  it('is the same under a share of the legacy dialect, too, which goes by the id of the row', async () => {
    const nameOfText = async (text: string): Promise<string> => {
      const read = await readSingleJob(withCells({ voice: text }), {}, { apiDialect: 'legacy=50%' });
      if (read.type === 'faulty') throw new Error(JSON.stringify(read.problems));
      return singleName(read, REALM);
    };
    for (const voice of ['a', 'b', 'c', 'd', 'e', 'f'])
      expect(await nameOfText(` ${voice} `)).toBe(await nameOfText(voice));
  });

  it('is the same whatever its price is reckoned by', async () => {
    const name = await nameOf(TRANSCRIBE);
    const flat = { ...BUILT_IN_PRICES, transcription: { unit: 'job', credits: 2, estimate: false } } as const;
    const ways: readonly [SingleOptions, Config][] = [
      [{ assumeSeconds: 60 }, {}],
      [{ assumeSeconds: 120 }, {}],
      [{}, { assumeSeconds: 60 }],
      [{}, { prices: flat }],
      [{ assumeSeconds: 60 }, { prices: flat }],
    ];
    for (const way of ways) expect(singleName(await sound(TRANSCRIBE, ...way), REALM)).toBe(name);
  });

  it('differs with everything that shapes the result, the API and the account', async () => {
    const job = await sound(SAY);
    const names = await Promise.all([
      nameOf(SAY),
      nameOf(withCells({ text: 'Good evening.' })),
      nameOf(withCells({ voice: 'ben' })),
      nameOf(withCells({ format: 'wav' })),
      nameOf(withCells({ 'api.seed': 7 })),
      nameOf({ ...SAY, tts: 'sync' }),
    ]);
    const elsewhere = [
      singleName(job, { ...REALM, account: 'user_2' }),
      singleName(job, { ...REALM, apiUrl: 'http://127.0.0.1:1/api/open/v1' }),
    ];
    expect(new Set([...names, ...elsewhere]).size).toBe(8);
  });
});
