import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { FFMPEG_ADVICE } from '../../store/sound/find-ffmpeg.ts';
import type { Finishing } from '../../contract/finishing.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { PLAIN_TABLE } from '../../contract/table-format.ts';
import { sha256Of } from '../../inputs/regular-file.ts';
import { collisionKey, FINISHED_FOLDER } from '../../inputs/output-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { mediaSeconds } from '../../store/inspect.ts';
import { FfmpegFailed } from '../../store/sound/ffmpeg.ts';
import { containerOf, finishedExtension, finishSound } from '../../store/sound/finish/finish-sound.ts';
import type { Store } from '../../store/store.ts';
import { holds } from '../files.ts';
import {
  countFiles,
  type OnFiles,
  FINISHED,
  readLines,
  removeFormer,
  type FinishedLine,
  type JoinedLine,
} from './sound-lists.ts';
import { MEDIA_FOLDER, UnfitName } from '../names.ts';
import type { RealFolders } from '../real-folders.ts';
import { filesOf } from '../result-line.ts';
import { partPath } from '../whole-file.ts';

/** Max concurrent runs of ffmpeg; otherwise one per processor. */
const MOST_AT_ONCE = 8;
/** The part of a store that finishing needs. */
export type FinishingStore = Pick<Store, 'ffmpeg'>;

/** Which files to finish, and where they go. */
interface FinishingJob {
  readonly ledger: Pick<Ledger, 'scanRows'>;
  readonly store: FinishingStore;
  readonly batch: BatchRecord;
  readonly finishing: Finishing;
  /** Folders of the out folder, which already holds the results. */
  readonly folders: RealFolders;
  /** Output of `--join`; null without it. */
  readonly joined: readonly JoinedLine[] | null;
  /** Whether the file of a row has this name below the out folder. */
  readonly isTaken: (name: string) => boolean;
  readonly onFiles: OnFiles;
}

/** A file in the out folder, to be finished. */
interface Original {
  /** Its row; empty for a joined file. */
  readonly row: string;
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
  const before = await readLines(job.folders.out, FINISHED, job.batch.settings.table ?? PLAIN_TABLE);
  const maker = new Maker(job, before, await job.store.ffmpeg());
  const originals = originalsOf(job);
  const lines: FinishedLine[] = [];
  const done = countFiles(await countOriginals(job), job.onFiles);
  const work = async (): Promise<void> => {
    for await (const { original, at } of originals) {
      lines[at] = await maker.make(original);
      done();
    }
  };
  await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, availableParallelism()) }, work));
  await removeFormer(before, lines, job.folders);
  return lines;
}

async function* originalsOf({
  ledger,
  batch,
  joined,
}: FinishingJob): AsyncGenerator<{ readonly original: Original; readonly at: number }, undefined> {
  let at = 0;
  for await (const { row } of ledger.scanRows(batch.name)) {
    if (row.kind !== 'tts' || !hasResult(row.outcome) || row.file?.removedAt !== undefined) continue;
    const [found] = namedFiles(row, batch);
    if (found === undefined) continue;
    const { extension, sha256, seconds } = found.file;
    yield { original: { row: String(row.row), id: row.id, name: found.name, extension, sha256, seconds }, at };
    at += 1;
  }
  for (const { value, file, sha256, seconds } of joined ?? []) {
    if (file === '') continue;
    const [extension, length] = [posix.extname(file).slice(1), seconds === '' ? undefined : Number(seconds)];
    yield { original: { row: '', id: value, name: file, extension, sha256, seconds: length }, at };
    at += 1;
  }
}

/** Reads the rows once more, which is cheap compared to processing their files. */
async function countOriginals(job: FinishingJob): Promise<number> {
  let originals = 0;
  for await (const { at } of originalsOf(job)) originals = at + 1;
  return originals;
}

/** A row whose file cannot be named was already reported as a mismatch. */
function namedFiles(...[row, batch]: Parameters<typeof filesOf>): ReturnType<typeof filesOf> {
  try {
    return filesOf(row, batch);
  } catch (error) {
    if (error instanceof UnfitName) return [];
    throw error;
  }
}

class Maker {
  readonly #job: FinishingJob;
  readonly #earlier: ReadonlyMap<string, FinishedLine>;
  readonly #program: string | undefined;
  readonly #names = new Set<string>();

  constructor(job: FinishingJob, before: readonly FinishedLine[], program: string | undefined) {
    this.#job = job;
    this.#earlier = new Map(before.map((line) => [line.original, line]));
    this.#program = program;
  }

  /** The line of a file, finished now or earlier. */
  async make(original: Original): Promise<FinishedLine> {
    const { finishing, isTaken, folders } = this.#job;
    const file = finishedName(original, finishing);
    if (isTaken(file)) return failed(original, `the file of a row has the name ${file}`);
    if (this.#names.has(collisionKey(file))) return failed(original, `another file has the name ${file}`);
    this.#names.add(collisionKey(file));
    const from = digestOf(original, finishing);
    const earlier = this.#earlier.get(original.name);
    const isThere = earlier?.file === file && earlier.made_from === from;
    if (isThere && (await holds(join(folders.out, file), earlier.sha256)))
      return { ...earlier, row: original.row, id: original.id };
    if (this.#program === undefined) return failed(original, `there is no ffmpeg. ${FFMPEG_ADVICE}`);
    try {
      return await this.#finish(original, this.#program, { file, made_from: from });
    } catch (error) {
      if (!(error instanceof FfmpegFailed)) throw error;
      return failed(original, error.message);
    }
  }

  /** Writes to a temporary file and renames it, so that the copy is whole or absent. */
  async #finish(
    original: Original,
    program: string,
    { file, made_from }: Pick<FinishedLine, 'file' | 'made_from'>,
  ): Promise<FinishedLine> {
    const { finishing, folders } = this.#job;
    const path = join(folders.out, original.name);
    if (!(await holds(path, original.sha256))) return failed(original, 'the original is missing or was changed');
    await folders.require([file]);
    const target = join(folders.out, file);
    await mkdir(dirname(target), { recursive: true });
    const part = partPath(target);
    try {
      const { extension, seconds } = original;
      const loudness = await finishSound({ path, extension, seconds, finishing, out: part, program });
      const type = finishedExtension(finishing, extension);
      const length = await mediaSeconds(part, containerOf(type));
      const sha256 = await sha256Of(part);
      await rename(part, target);
      return {
        ...failed(original, ''),
        file,
        seconds: length === undefined ? '' : String(length),
        sha256,
        loudness_before: loudness === undefined ? '' : String(loudness.before),
        loudness_after: loudness === undefined ? '' : String(loudness.after),
        made_from,
      };
    } finally {
      await rm(part, { force: true });
    }
  }
}

/** `media/a.wav` becomes `media/finished/a.mp3`. */
function finishedName({ name, extension }: Original, finishing: Finishing): string {
  const stem = posix.relative(MEDIA_FOLDER, name.slice(0, name.length - posix.extname(name).length));
  return posix.join(MEDIA_FOLDER, FINISHED_FOLDER, `${stem}.${finishedExtension(finishing, extension)}`);
}

function digestOf({ sha256 }: Original, finishing: Finishing): string {
  const { loudness = null, trimSilence = false, sampleRate = null, format = null } = finishing;
  const asked = JSON.stringify([sha256, loudness, trimSilence, sampleRate, format]);
  return createHash('sha256').update(asked).digest('hex');
}

function failed({ row, id, name: original }: Original, message: string): FinishedLine {
  const nothing = { file: '', seconds: '', sha256: '', loudness_before: '', loudness_after: '', made_from: '' };
  return { row, id, original, ...nothing, message };
}
