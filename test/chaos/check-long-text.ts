import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { speechSeconds } from '../../simulator/media/melody.ts';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import { hearMp3, type Heard } from '../simulator/hear.ts';
import { readBatchFiles, type ResultRow } from './batch-files.ts';
import { chargedStepOf } from './charged-step.ts';
import type { Finding } from './finding.ts';

/** Its names. */
export const LONG_TEXT = { batch: 'long', row: 'book' } as const;

/** A part as `explain --json` tells of it. */
export interface PartStanding {
  readonly id: string;
  readonly outcome: string | null;
  readonly text: string;
}

/** How it stood after a command. */
export interface LongTextStage {
  readonly code: number | null;
  readonly parts: readonly PartStanding[];
  /** The simulator's own record. */
  readonly charges: readonly LedgerEntry[];
}

/** What came of a long text. */
export interface LongTextRun {
  readonly text: string;
  /** What the part says whose job failed, and the one whose answer was lost. */
  readonly fails: string;
  readonly lost: string;
  /** Paid requests that a kill can leave in doubt. */
  readonly submits: number;
  /** After the run; after the failed part was sent again; after what is in doubt was sent again. */
  readonly first: LongTextStage;
  readonly second: LongTextStage;
  readonly third: LongTextStage;
}

/** How far the file may be from the sum of its parts. */
const TOLERANCE = 0.01;

/** All checks, with the files that are there. */
export async function checkLongText(run: LongTextRun & { readonly folder: string }): Promise<readonly Finding[]> {
  const { out, results } = await readBatchFiles(run.folder, LONG_TEXT.batch);
  const names = await readdir(out, { recursive: true });
  const files = names.filter((name) => /\.(?:mp3|wav|m4a)$/.test(name));
  const heard = files[0] === undefined ? undefined : await hearMp3(await readFile(join(out, files[0])));
  return [...checkParts(run), checkFile(run, { results, files, heard })];
}

/** What was charged for which part, and how the parts ended. */
export function checkParts({ text, fails, lost, submits, first, second, third }: LongTextRun): readonly Finding[] {
  const count = (stage: LongTextStage, said: string): number =>
    stage.charges.filter((charge) => charge.text === said).length;
  const failed = first.parts.filter(({ outcome }) => outcome === 'failed');
  const unknown = first.parts.filter(({ outcome }) => outcome === 'unknown');
  const isLost = (part: PartStanding): boolean => part.text.includes(lost);
  /** Parts that a stage charged another number of times than this. */
  const wrong = (stage: LongTextStage, times: (part: PartStanding, before: number) => number): readonly string[] =>
    first.parts.flatMap((part) => {
      const [is, ought] = [count(stage, part.text), times(part, count(first, part.text))];
      return is === ought ? [] : [`${part.id}: ${String(is)} charges, not ${String(ought)}`];
    });
  const squeeze = (words: string): string => words.replaceAll(/\s/gu, '');
  const spoken = squeeze(inOrder(third.charges).join(''));
  return [
    {
      promise: 'the parts that were sent are the text, in order',
      broken: spoken === squeeze(text) ? [] : [`${String(spoken.length)} characters were sent, not those of the text`],
      seen: `${String(text.length)} characters in ${String(first.parts.length)} parts`,
    },
    {
      promise: 'the part whose job failed is the only one that failed',
      broken: failed.length === 1 && failed[0]?.text.includes(fails) === true ? [] : [namesOf(failed)],
      seen: namesOf(failed),
    },
    {
      promise: 'the part whose answer was lost is unknown, with no others than those of the kill',
      broken: [
        ...(unknown.some(isLost) ? [] : ['it is not']),
        ...(unknown.length <= 1 + submits ? [] : [`${String(unknown.length)} are unknown`]),
        ...(first.code === 13 ? [] : [`the command ended with ${String(first.code)}, not 13`]),
      ],
      seen: `${String(unknown.length - 1)} by the kill`,
    },
    {
      promise: 'the run charges no part twice',
      broken: wrong(first, (part, before) => (unknown.includes(part) && !isLost(part) ? Math.min(before, 1) : 1)),
      seen: `${String(first.charges.length)} charges`,
    },
    {
      promise: 'a redrive charges only the failed part again, and leaves the row in doubt',
      broken: [
        ...wrong(second, (part, before) => before + (failed.includes(part) ? 1 : 0)),
        ...(second.code === 13 ? [] : [`it ended with ${String(second.code)}, not 13`]),
      ],
      seen: `${String(second.charges.length - first.charges.length)} more`,
    },
    {
      promise: '--resubmit charges only what was in doubt again',
      broken: [
        ...wrong(third, (part, before) => before + (failed.includes(part) || unknown.includes(part) ? 1 : 0)),
        ...(third.code === 0 ? [] : [`it ended with ${String(third.code)}`]),
        ...third.parts.flatMap(({ id, outcome }) => (outcome === 'succeeded' ? [] : [`${id} is ${String(outcome)}`])),
      ],
      seen: `${String(third.charges.length - second.charges.length)} more`,
    },
  ];
}

/** What is in the out folder. */
interface Written {
  readonly results: readonly Pick<ResultRow, 'id' | '_outcome' | '_file'>[];
  /** Sound in the out folder. */
  readonly files: readonly string[];
  readonly heard: Heard | undefined;
}

/** Whether there is one line and one file, of the right length. */
export function checkFile({ third }: LongTextRun, { results, files, heard }: Written): Finding {
  const sum = third.parts.reduce((seconds, { text }) => seconds + speechSeconds(text), 0);
  const seconds = heard?.seconds ?? 0;
  const [line] = results;
  return {
    promise: 'the row has one line and one file, as long as its parts together',
    broken: [
      ...(results.length === 1 && line?._outcome === 'succeeded' ? [] : [`its lines: ${JSON.stringify(results)}`]),
      ...(files.length === 1 && files[0] === line?._file ? [] : [`the files are ${files.join(', ')}`]),
      ...(Math.abs(seconds - sum) <= TOLERANCE * sum ? [] : [`${seconds.toFixed(1)} s, not ${sum.toFixed(1)}`]),
      ...(heard === undefined || heard.errors === 0 ? [] : [`${String(heard.errors)} frames are broken`]),
    ],
    seen: `${seconds.toFixed(1)} s; the parts: ${sum.toFixed(1)} s`,
  };
}

/** What was sent, each part once, in the order of the row's parts. */
function inOrder(charges: readonly LedgerEntry[]): readonly string[] {
  const byRow = new Map(charges.map((charge) => [chargedStepOf(charge)?.row ?? 0, charge.text ?? '']));
  return [...byRow].toSorted(([one], [other]) => one - other).map(([, said]) => said);
}

function namesOf(parts: readonly PartStanding[]): string {
  return parts.length === 0 ? 'none' : parts.map(({ id }) => id).join(', ');
}
