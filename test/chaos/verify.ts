import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasPace } from '../../policy/verification/speech-pace.ts';
import { SPOILT_SPEECH, type SpoiltSpeech } from '../../simulator/spoil-speech.ts';
import { readBatchFiles, type ResultRow } from './batch-files.ts';
import type { Finding } from './finding.ts';
import { runCli } from './check-world.ts';
import { makeFolder, openFolder } from './in-folder.ts';
import type { ChaosOptions } from './options.ts';
import { killAllIn } from '../support/processes-in.ts';
import { seeded, type Chance } from './seeded.ts';

const BATCH = 'verify';
/** Good rows for each three bad ones. */
const GOOD_SHARE = 1 / 3;
/** Good rows at least: fewer, and the pace of the voice is not known in time. */
const MIN_GOOD = 60;
/**
 * Part of the speech by another voice that must be caught, of the texts whose pace is judged. Not all of it: its script may
 * be rare, and the results come in any order.
 */
const MIN_OTHER_VOICE = 2 / 3;
const MAX_SENTENCES = 9;

/** Sentences of several languages and scripts, with numbers, names and accents. */
const SENTENCES: readonly (readonly string[])[] = [
  [
    'The harbour was quiet that night, and nobody heard the small boat come in.',
    'At 6 o’clock their neighbour, Mrs O’Brien, cannot find the key to the gate.',
    'It cost $1,250, or about 3 weeks of work; it’s a lot for a knight.',
    'Whether the weather holds or not, we write to two of them in May.',
  ],
  [
    'Der Hafen war still in dieser Nacht, und niemand hörte das kleine Boot.',
    'Seid ihr sicher, dass das Straßenfest um 8 Uhr beginnt?',
    'Die Bäckerin verkaufte zwölf süße Brötchen und 3 Eiscremes.',
  ],
  [
    'L’été dernier, la mer était calme et personne n’a vu le petit bateau.',
    'Mais où est donc passé l’hôtel de Zoë ?',
    'Il a payé 25 euros pour deux cafés et un gâteau.',
  ],
  ['El niño corrió por la playa antes del amanecer.', '¿Dónde está la llave de la casa de mi señora?'],
  ['那天夜里港口很安静。', '没有人听见小船进来。', '第二天早上它又不见了。'],
  ['その夜、港は静かでした。', '小さな船が入ってくる音を誰も聞きませんでした。', '朝にはもういませんでした。'],
  ['В ту ночь в порту было тихо.', 'Никто не слышал, как вошла маленькая лодка.'],
];

/** A row, and what is wrong with its speech; null: nothing. */
interface Planned {
  readonly id: string;
  readonly text: string;
  readonly as: SpoiltSpeech | null;
}

/**
 * Speech that was charged and came whole, but is silent, garbled, cut off, of other words, of a sentence less, or by another voice, among
 * good speech of any length in several languages: how much of the bad is caught, and whether any of the good is.
 */
export async function verify(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { dist, rows, seed } = options;
  const planned = plan(rows, seeded(seed));
  const rules = planned.flatMap(({ text, as }) =>
    as === null
      ? []
      : [
          {
            on: 'create' as const,
            operation: 'speech-job' as const,
            match: { text },
            fault: { kind: 'speaks' as const, as },
          },
        ],
  );
  const folder = await makeFolder();
  const simulation = { seed, credits: 100_000_000, plan: { rules } };
  const { judge, env } = await openFolder(folder, say, { ...simulation, createMs: [5, 30], jobMs: [50, 300] });
  let isWhole = false;
  try {
    const lines = planned.map(({ id, text }) => `${id},"${text.replaceAll('"', '""')}",narrator`);
    await writeFile(join(folder, `${BATCH}.csv`), `id,text,voice\n${lines.join('\n')}\n`);
    const config = { polling: { firstLookMs: 200, gapMs: 200 } };
    await writeFile(join(folder, 'voxbatch.config.json'), JSON.stringify(config));
    const args = ['run', `${BATCH}.csv`, '--verify', '--yes', '--halt', 'never'];
    const { code } = await runCli(dist, args, folder, env);
    const { results } = await readBatchFiles(folder, BATCH);
    const findings = check(planned, new Map(results.map((row) => [row.id, row])), code);
    isWhole = findings.every(({ broken }) => broken.length === 0);
    return findings;
  } finally {
    await killAllIn(folder);
    await judge.close();
    if (isWhole && !options.keep) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    else say(`The folder is kept: ${folder}`);
  }
}

function plan(rows: number, chance: Chance): readonly Planned[] {
  const good = Math.max(MIN_GOOD, Math.round(rows * GOOD_SHARE));
  const planned = Array.from({ length: rows + good }, (_, at): Planned => {
    const language = SENTENCES[Math.floor(chance() * SENTENCES.length)] ?? [];
    const count = 1 + Math.floor(chance() * MAX_SENTENCES);
    const said = Array.from({ length: count }, () => language[Math.floor(chance() * language.length)] ?? '');
    const name = String.fromCodePoint(...Array.from({ length: 6 }, () => 97 + Math.floor(chance() * 26)));
    const as = at < good ? null : (SPOILT_SPEECH[at % SPOILT_SPEECH.length] ?? null);
    return { id: `${as ?? 'good'}-${String(at)}`, text: `${name} ${String(at)}: ${said.join(' ')}`, as };
  });
  // Most of the first rows are good, as in life: a voice has to be known.
  return planned.toSorted((one, other) => Number(one.as !== null) - Number(other.as !== null));
}

function check(planned: readonly Planned[], rows: ReadonlyMap<string, ResultRow>, code: number | null): Finding[] {
  const notOk = (one: Planned): boolean => rows.get(one.id)?._outcome !== 'succeeded';
  const wordsOf = ({ id, text }: Planned): string =>
    `${id}: ${rows.get(id)?._outcome ?? 'no result'}, ${text.slice(0, 80)}`;
  const good = planned.filter(({ as }) => as === null);
  return [
    { promise: 'it ends with 14', broken: code === 14 ? [] : [`it ended with ${String(code)}`] },
    {
      promise: 'no good speech is called bad',
      broken: good.filter(notOk).map(wordsOf),
      seen: `${String(good.length)} good results`,
    },
    ...SPOILT_SPEECH.map((as): Finding => {
      const bad = planned.filter((one) => one.as === as);
      const isCaught = ({ id }: Planned): boolean => rows.get(id)?._outcome === 'unfit';
      if (as === 'other-voice') return checkOtherVoice(bad, isCaught, wordsOf);
      const missed = bad.filter((one) => !isCaught(one));
      return { promise: `speech with ${as} is caught`, broken: missed.map(wordsOf), seen: counted(bad, isCaught) };
    }),
  ];
}

/** A transcript has no voice: another one shows only by its pace, where the text has one. */
function checkOtherVoice(
  bad: readonly Planned[],
  isCaught: (one: Planned) => boolean,
  wordsOf: (one: Planned) => string,
): Finding {
  const paced = bad.filter(({ text }) => hasPace({ text }));
  const missed = paced.filter((one) => !isCaught(one));
  const isKept = paced.length > 0 && missed.length <= paced.length * (1 - MIN_OTHER_VOICE);
  const none = ['no row has a text whose pace is judged: take more --rows'];
  return {
    promise: 'two thirds of the speech by another voice are caught, of the texts whose pace is judged',
    broken: isKept ? [] : [...(paced.length === 0 ? none : []), ...missed.map(wordsOf)],
    seen: `${counted(paced, isCaught)}; of all texts ${counted(bad, isCaught)}`,
  };
}

function counted(bad: readonly Planned[], isCaught: (one: Planned) => boolean): string {
  return `${String(bad.filter(isCaught).length)} of ${String(bad.length)} caught`;
}
