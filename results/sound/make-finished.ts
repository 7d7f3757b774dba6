import { hash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, posix } from 'node:path';
import type { Finishing } from '../../contract/finishing.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { DEFAULT_TABLE_FORMAT } from '../../contract/table-format.ts';
import { sha256Of } from '../../inputs/regular-file.ts';
import { collisionKey, FINISHED_FOLDER, MEDIA_FOLDER } from '../../inputs/output-name.ts';
import { mediaSeconds } from '../../store/inspect.ts';
import { FfmpegFailed } from '../../store/sound/ffmpeg.ts';
import { FFMPEG_ADVICE } from '../../store/sound/find-ffmpeg.ts';
import { containerOf, finishedExtension, finishSound } from '../../store/sound/finish/finish-sound.ts';
import type { Store } from '../../store/store.ts';
import { hasContent } from '../files.ts';
import {
  countFiles,
  FINISHED,
  type MakingFiles,
  readLines,
  removeFormer,
  type FinishedLine,
  type JoinedLine,
} from './sound-lists.ts';
import { namedFilesOf } from '../result-line.ts';
import { partPath } from '../atomic-file.ts';

/** Max concurrent runs of ffmpeg; with fewer processors, one per processor. */
const MAX_CONCURRENT = 8;

/** The part of a store that finishing needs. */
export type FinishingStore = Pick<Store, 'ffmpeg'>;

/** Which files to finish, and where. The out folder already holds the results. */
interface FinishingJob extends MakingFiles<FinishingStore> {
  readonly finishing: Finishing;
  /** The files that `--join` made; null without it. */
  readonly joined: readonly JoinedLine[] | null;
}

/** A file in the out folder, to be finished. */
interface Original {
  /** Number of its row; empty for a joined file. */
  readonly row: string;
  /** The row's id, or the value of a joined file. */
  readonly id: string;
  /** Path below the out folder. */
  readonly name: string;
  readonly extension: string;
  readonly sha256: string;
  readonly seconds: number | undefined;
}

/**
 * Finishes copies of all speech, and of the files that `--join` made; the originals stay as they are. An up-to-date
 * copy stays: `finished.csv` records its source, and its bytes are compared. Returns a line for each. If a file cannot
 * be finished, its line says why; only the copy is missing. Throws only if a disk or the ledger fails.
 */
export async function makeFinished(job: FinishingJob): Promise<readonly FinishedLine[]> {
  const { batch, store, folders, finishing, isTaken } = job;
  const before = await readLines(folders.out, FINISHED, batch.settings.table ?? DEFAULT_TABLE_FORMAT);
  const earlier = new Map(before.map((line) => [line.original, line]));
  const program = await store.ffmpeg();
  const names = new Set<string>();
  /** The line of a file, finished now or earlier. */
  const make = async (original: Original): Promise<FinishedLine> => {
    const file = finishedName(original, finishing);
    if (isTaken(file)) return lineWithoutFile(original, `the file of a row has the name ${file}`);
    if (names.has(collisionKey(file))) return lineWithoutFile(original, `another file has the name ${file}`);
    names.add(collisionKey(file));
    const madeFrom = digestOf(original, finishing);
    const known = earlier.get(original.name);
    const isThere = known?.file === file && known.made_from === madeFrom;
    if (isThere && (await hasContent(join(folders.out, file), known.sha256)))
      return { ...known, row: original.row, id: original.id };
    if (program === undefined) return lineWithoutFile(original, `there is no ffmpeg. ${FFMPEG_ADVICE}`);
    if (!(await hasContent(join(folders.out, original.name), original.sha256)))
      return lineWithoutFile(original, 'the original is missing or was changed');
    try {
      const made = await finish(original, program, file, job);
      return { ...lineWithoutFile(original, ''), ...made, file, made_from: madeFrom };
    } catch (error) {
      if (!(error instanceof FfmpegFailed)) throw error;
      return lineWithoutFile(original, error.message);
    }
  };
  const originals = await originalsOf(job);
  const lines: FinishedLine[] = [];
  const done = countFiles(originals.length, job.onFiles);
  // All workers share this generator: if one of them fails, its loop ends it, and with it the others' loops. The
  // iterator of an array would go on.
  const entries = (function* (): Generator<[number, Original], void, undefined> {
    yield* originals.entries();
  })();
  const work = async (): Promise<void> => {
    for (const [at, original] of entries) {
      lines[at] = await make(original);
      done();
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, availableParallelism()) }, work));
  await removeFormer(before, lines, folders);
  return lines;
}

/** Returns all files to finish: speech results, then joined files. */
async function originalsOf({ ledger, batch, joined }: FinishingJob): Promise<readonly Original[]> {
  const originals: Original[] = [];
  for await (const { row } of ledger.scanRows(batch.name)) {
    if (row.kind !== 'tts' || !hasResult(row.outcome) || row.file?.removedAt !== undefined) continue;
    // A row whose file cannot be named was already reported as a mismatch.
    const [found] = namedFilesOf(row, batch);
    if (found === undefined) continue;
    const { extension, sha256, seconds } = found.file;
    originals.push({ row: String(row.row), id: row.id, name: found.name, extension, sha256, seconds });
  }
  for (const { value, file, sha256, seconds } of joined ?? []) {
    if (file === '') continue;
    const [extension, length] = [posix.extname(file).slice(1), seconds === '' ? undefined : Number(seconds)];
    originals.push({ row: '', id: value, name: file, extension, sha256, seconds: length });
  }
  return originals;
}

/** Makes a finished copy: in a temporary file that is then renamed, so that it appears complete or not at all. */
async function finish(
  { name, extension, seconds }: Original,
  program: string,
  file: string,
  { finishing, folders }: FinishingJob,
): Promise<Pick<FinishedLine, 'seconds' | 'sha256' | 'loudness_before' | 'loudness_after'>> {
  await folders.require([file]);
  const target = join(folders.out, file);
  await mkdir(dirname(target), { recursive: true });
  const part = partPath(target);
  try {
    const path = join(folders.out, name);
    const loudness = await finishSound({ path, extension, seconds, finishing, out: part, program });
    const length = await mediaSeconds(part, containerOf(finishedExtension(finishing, extension)));
    const sha256 = await sha256Of(part);
    await rename(part, target);
    return {
      seconds: String(length ?? ''),
      sha256,
      loudness_before: String(loudness?.before ?? ''),
      loudness_after: String(loudness?.after ?? ''),
    };
  } finally {
    await rm(part, { force: true });
  }
}

/** Returns the name of a finished copy: for `media/a.wav`, it is `media/finished/a.mp3`. */
function finishedName({ name, extension }: Original, finishing: Finishing): string {
  const stem = posix.relative(MEDIA_FOLDER, name.slice(0, name.length - posix.extname(name).length));
  return posix.join(MEDIA_FOLDER, FINISHED_FOLDER, `${stem}.${finishedExtension(finishing, extension)}`);
}

/** Returns a digest of what determines the copy's content, to recognise an up-to-date copy. */
function digestOf({ sha256 }: Original, finishing: Finishing): string {
  const { loudness = null, trimSilence = false, sampleRate = null, format = null } = finishing;
  return hash('sha256', JSON.stringify([sha256, loudness, trimSilence, sampleRate, format]), 'hex');
}

/** Returns the line of a file without a finished copy. */
function lineWithoutFile({ row, id, name: original }: Original, message: string): FinishedLine {
  const nothing = { file: '', seconds: '', sha256: '', loudness_before: '', loudness_after: '', made_from: '' };
  return { row, id, original, ...nothing, message };
}
