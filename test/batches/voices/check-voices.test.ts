import { describe, expect, it } from '@jest/globals';
import type { VoicesRead, VoicesWanted } from '../../../api/voices/read-voices.ts';
import type { Voice } from '../../../api/speech-api.ts';
import type { Dialect } from '../../../contract/dialects.ts';
import { checkVoices, type CheckedVoices, type MadeBy, type ReadVoices } from '../../../batches/voices/check-voices.ts';
import { openManifest } from '../../../inputs/manifest-source.ts';
import { summarizeManifest } from '../../../inputs/read-manifest.ts';
import type { VoiceMaker } from '../../../inputs/voices/voice-uses.ts';
import { OPTIONS, withManifest } from '../../inputs/manifest-file.ts';

const LIST: readonly Voice[] = [
  { id: 'narrator', name: 'Narrator', provider: 'fishaudio' },
  { id: 'v-1', name: 'Ada', provider: 'fishaudio' },
  { id: 'v-2', name: 'Ada', provider: 'minimax' },
  { id: 'v-3', name: 'Lin', provider: 'qwen', modelIds: ['qwen-tts', 'qwen-flash'] },
];
const READ: VoicesRead = { type: 'read', voices: new Map(LIST.map((voice) => [voice.id, voice])) };

const NOBODY: MadeBy = () => Promise.resolve(undefined);

interface Checked {
  readonly checked: CheckedVoices;
  /** What was asked of the list, and in which dialect. */
  readonly asked: readonly VoicesWanted[];
  readonly dialects: readonly Dialect[];
}

/** Checks a manifest of these voices and engines, a row each from line 2 on. */
function check(
  cells: readonly string[],
  { strict = false, read = READ, makers = [] as readonly VoiceMaker[], legacyShare = 0, madeBy = NOBODY } = {},
): Promise<Checked> {
  const content = `id,text,voice,engine\n${cells.map((cell, at) => `r${String(at + 2)},Hi,${cell}\n`).join('')}`;
  return withManifest(content, async (path) => {
    const asked: VoicesWanted[] = [];
    const dialects: Dialect[] = [];
    const options = { ...OPTIONS, strict, legacyShare };
    const found = await summarizeManifest(await openManifest(path), options);
    const summary = { ...found, voices: { ...found.voices, makers } };
    const record: ReadVoices = (wanted, dialect) => {
      asked.push(wanted);
      dialects.push(dialect);
      return Promise.resolve(read);
    };
    const checked = await checkVoices({ summary, options }, record, { madeBy });
    return { checked, asked, dialects };
  });
}

/** What is wrong: line, id, column, code, what was expected, what came. */
function problems({ checked }: Checked): unknown {
  if (checked.type !== 'faulty') return checked.type;
  return checked.summary.problems.map(({ line, id, column, code, expected, got }) =>
    [line, id, column, code, expected, got].join(' | '),
  );
}

describe('checkVoices', () => {
  it('finds the ids of names, each once, and leaves ids alone', async () => {
    const { checked, asked } = await check(['narrator,', 'name:narrator,', 'name:Lin,', 'name:narrator,']);
    expect(checked).toEqual({
      type: 'sound',
      warnings: [],
      voices: new Map([
        ['name:narrator', { type: 'listed', id: 'narrator', isInTraining: false }],
        ['name:Lin', { type: 'listed', id: 'v-3', isInTraining: false }],
      ]),
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.ids).toBeUndefined();
  });

  const EVE_HINT = 'did you mean "name:eve", the name of the voice that row 7 makes (line 8)?';
  it.each([
    ['lin', 'did you mean "name:lin", the name of v-3 (qwen)?', []],
    ['Ada', 'several voices have this name: v-1 (fishaudio), v-2 (minimax). Give the id of one', []],
    ['eve', EVE_HINT, [{ name: 'Eve', row: 7, line: 8, id: 'e' }]],
  ] as const)('says of %s, the name of a voice without name:, what is probably meant', async (cell, hint, makers) => {
    const message = `"${cell}" is not in the API's list of voices; ${hint} (voxbatch voices list)`;
    const { checked } = await check([`${cell},`], { makers });
    expect(checked).toMatchObject({ type: 'sound', warnings: [{ line: 2, message }] });
    expect(problems(await check([`${cell},`], { makers, strict: true }))).toMatchObject([
      expect.stringContaining(hint),
    ]);
  });

  it('names who speaks, and the cast, where that gives the voice', async () => {
    const members = [{ name: 'Königin Ilse', values: { voice: 'Lin' } }];
    const options = { ...OPTIONS, map: { speaker: 'Wer' }, cast: { from: 'Besetzung.xlsx', members } };
    const checked = (strict: boolean): Promise<CheckedVoices> =>
      withManifest('text,Wer\nHi,Königin Ilse\nHo,Königin Ilse\n', async (path) => {
        const summary = await summarizeManifest(await openManifest(path), options);
        return checkVoices({ summary, options: { ...options, strict } }, () => Promise.resolve(READ));
      });
    const hint =
      'if you mean the voice of that name, v-3 (qwen), write "name:Lin" in Besetzung.xlsx (voxbatch voices list)';
    const message = `"Lin" of Königin Ilse in Besetzung.xlsx is not in the API's list of voices; ${hint}`;
    expect(await checked(false)).toMatchObject({ warnings: [{ line: 2, column: 'Wer', message, rows: 2 }] });
    const got = 'Lin of Königin Ilse in Besetzung.xlsx (in 2 rows, of which this is the first)';
    expect(await checked(true)).toMatchObject({ summary: { problems: [{ column: 'Wer', got }] } });
  });

  it('refuses a cell that is the very name of a voice which the manifest makes: as an id it would be refused unpaid', async () => {
    const made = (name: string): readonly VoiceMaker[] => [{ name, row: 7, line: 8, id: 'e' }];
    expect(problems(await check(['Eve,', 'Eve,'], { makers: made('Eve') }))).toEqual([
      '2 | r2 | voice | unknown-voice | "name:Eve", for the voice that row 7 makes (line 8); without name: it is an id, and no voice has it | ' +
        'Eve (in 2 rows, of which this is the first)',
    ]);
    // The id of a voice that is there is meant, whatever the new one is called.
    expect(problems(await check(['narrator,'], { makers: made('narrator') }))).toBe('sound');
  });

  it('looks where all the rows speak: on the legacy paths, whose engines are no business of the current list', async () => {
    const cells = ['name:Lin,v2', 'v-3,s1'];
    const legacy = await check(cells, { legacyShare: 1 });
    expect([legacy.dialects, problems(legacy)]).toEqual([['legacy'], 'sound']);
    expect((await check(cells, { legacyShare: 0.5 })).dialects).toEqual(['v1']);
    expect(problems(await check(cells))).toHaveLength(2);
  });

  it('reads no further than the ids of a manifest without names, and nothing without voices', async () => {
    const { asked } = await check(['narrator,', 'v-1,']);
    expect(asked).toMatchObject([{ ids: new Set(['narrator', 'v-1']), tries: 1 }]);
    const without = await withManifest('audio\nhttps://media.example/a.mp3\n', async (path) => {
      const summary = await summarizeManifest(await openManifest(path), OPTIONS);
      return checkVoices({ summary, options: OPTIONS }, () => {
        throw new Error('the list was read');
      });
    });
    expect(without).toMatchObject({ type: 'sound', warnings: [] });
  });

  it('refuses an ambiguous name with all that it may be, and an unknown one with the nearest', async () => {
    expect(problems(await check(['name:ada,', 'name:Lim,', 'name:ada,']))).toEqual([
      '2 | r2 | voice | ambiguous-voice | the id of one of the 2 voices of this name: v-1 (fishaudio), v-2 (minimax) | "name:ada" (in 2 rows, of which this is the first)',
      '3 | r3 | voice | unknown-voice | a voice of the API\'s list, by its name; the nearest is "name:Lin" (voxbatch voices list) | "name:Lim"',
    ]);
  });

  it('only warns of ids that are not listed: the list may not have all that work', async () => {
    const { checked } = await check(['narator,', 'narator,', 'elsewhere,']);
    expect(checked).toMatchObject({
      type: 'sound',
      warnings: [
        {
          line: 2,
          rows: 2,
          message: `"narator" is not in the API's list of voices; the nearest is narrator (voxbatch voices list)`,
        },
        { line: 4, rows: 1, message: `"elsewhere" is not in the API's list of voices (voxbatch voices list)` },
      ],
    });
  });

  it('refuses such ids under --strict', async () => {
    const checked = await check(['narator,', 'narrator,'], { strict: true });
    expect(checked.asked).toMatchObject([{ tries: 4 }]);
    expect(problems(checked)).toEqual([
      "2 | r2 | voice | unknown-voice | a voice of the API's list, under --strict; the nearest is narrator (voxbatch voices list) | narator",
    ]);
  });

  it('names 20 unknown ids, counts the others, and looks at more than 1,000', async () => {
    const { checked } = await check(Array.from({ length: 3_000 }, (_, at) => `x${String(at)},`));
    if (checked.type !== 'sound') throw new Error(checked.type);
    expect(checked.warnings).toHaveLength(21);
    expect(checked.warnings.at(-1)).toEqual({
      column: 'voice',
      message: "2980 further voices are not in the API's list of voices",
      line: 22,
      rows: 2_980,
    });
  });

  it('refuses an engine that a voice does not work with, where the API says so', async () => {
    expect(problems(await check(['v-3,qwen-tts', 'name:lin,e2', 'v-3,', 'narrator,e2', 'v-3,QWEN-Flash']))).toEqual([
      '3 | r3 | engine | engine-misfit | an engine that voice "name:lin" (v-3) works with: qwen-tts, qwen-flash | e2',
    ]);
  });

  describe('of a manifest that makes voices', () => {
    const MAKERS: readonly VoiceMaker[] = [
      { name: 'Zoe', row: 7, line: 8, id: 'z' },
      { name: 'Lin', row: 9, line: 10, id: 'l' },
      { name: 'Max', row: 11, line: 12, id: 'm' },
      { name: 'MAX', row: 12, line: 13, id: 'x' },
    ];

    it('finds the row that makes the voice', async () => {
      const { checked } = await check(['name:zoe,e1', 'name:MAX,'], { makers: MAKERS });
      expect(checked).toMatchObject({
        type: 'sound',
        voices: new Map([
          ['name:zoe', { type: 'made', row: 7 }],
          ['name:MAX', { type: 'made', row: 12 }],
        ]),
      });
    });

    it('refuses a name that a voice of the list has, too, and one that two rows make', async () => {
      expect(problems(await check(['name:Lin,', 'name:max,'], { makers: MAKERS }))).toEqual([
        '2 | r2 | voice | ambiguous-voice | the id of one of the 2 voices of this name, or another name for the new voice: v-3 (qwen), the voice that row 9 makes (line 10); to speak with the voice that is there, remove line 10, which makes another one | "name:Lin"',
        '3 | r3 | voice | ambiguous-voice | the id of one of the 2 voices of this name, or another name for the new voice: the voice that row 11 makes (line 12), the voice that row 12 makes (line 13) | "name:max"',
      ]);
    });
  });

  describe('of a manifest that makes voices of names that are taken', () => {
    const madeBy: MadeBy = (id) => Promise.resolve(id === 'v-3' ? { batch: 'lines', row: 4 } : undefined);
    const lin: VoiceMaker = { name: 'Lin', row: 9, line: 10, id: 'l' };

    it('names the batch that made the voice before, if another row speaks with it', async () => {
      expect(problems(await check(['name:Lin,'], { makers: [lin], madeBy }))).toEqual([
        expect.stringContaining('v-3 (qwen), which row 4 of batch "lines" made, the voice that row 9 makes (line 10)'),
      ]);
    });

    it('warns that another one is made, also where no row names it, and reads the whole list for that', async () => {
      const { checked, asked } = await check(['narrator,'], { makers: [lin, { ...lin, name: 'lin' }], madeBy });
      expect(checked).toMatchObject({
        type: 'sound',
        warnings: [{ column: 'name', line: 10, message: expect.stringContaining('row 4 of batch "lines" made') }],
      });
      expect(asked[0]?.ids).toBeUndefined();
    });

    it('names 20 of them, and counts the others', async () => {
      const makers = Array.from({ length: 25 }, () => lin);
      const { checked } = await check(['narrator,'], { makers });
      if (checked.type !== 'sound') throw new Error(checked.type);
      expect(checked.warnings).toHaveLength(21);
      expect(checked.warnings.at(-1)?.message).toBe('5 further rows make voices of a name that is taken already');
    });
  });

  describe('where the list cannot be read', () => {
    const read: VoicesRead = { type: 'cut', why: 'The API answered 500.', voices: new Map() };

    it('says that names cannot be looked up', async () => {
      const { checked } = await check(['narrator,', 'name:Lin,', 'name:Ada,'], { read });
      expect(checked).toMatchObject({ type: 'unread', why: 'The API answered 500.', names: 2, first: { line: 3 } });
    });

    it.each([[false], [true]])('says nothing of ids; strict: %s', async (strict) => {
      expect((await check(['narator,'], { read, strict })).checked).toMatchObject({ type: 'sound', warnings: [] });
    });
  });
});
