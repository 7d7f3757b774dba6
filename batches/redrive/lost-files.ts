import { text as textOf } from 'node:stream/consumers';
import type { FileLoss } from '../../contract/file-loss.ts';
import { hasResult } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowRecord, RowSnapshot } from '../../ledger/rows/row-records.ts';
import { jobOfFile } from '../../policy/redrive/lost-file.ts';
import { isFetchedFree, lostAttempt } from '../../policy/redrive/redrive.ts';
import { isBroughtBackFree, lossOf, type RowFiles, type SearchedStore, withoutResult } from './find-loss.ts';
import { checkStored } from '../../results/files.ts';
import type { FoundRow, FoundRows, FoundTake, RedriveRules } from './selection.ts';
import { matchingParts, meets } from '../rows/find-rows.ts';
import { defined } from '../../contract/defined.ts';
import { type EarlierTake, filesBeside, resultOfTake } from '../../policy/redrive/earlier-take.ts';

/** Where the rows of a batch and their files are recorded. */
interface Place {
  readonly ledger: Pick<Ledger, 'partsOf' | 'readRow' | 'takesOf' | 'releasedFiles'>;
  readonly batch: string;
  readonly store: SearchedStore;
}

/**
 * Returns the rows of a redrive with the state of their stored files, which are read for this.
 *
 * - If results are replaced, a row whose file is lost or altered becomes a row without a result, so that the redrive
 *   fetches what was paid for again, free, before it pays for anything.
 * - A row that failed because its file was lost, and whose file is back, is marked `restored`.
 * - With the rule `damaged`, only rows with a loss are yielded: those of both kinds above, and rows with an `unfit`
 *   file that is lost and can be fetched again free. A lost text that is known from the ledger is stored again.
 * - If results are accepted, only the files of earlier takes are read to which rows go back.
 * - A row with parts is joined from their files, so these are read, too: lost parts are yielded in place of their row.
 *
 * Rows are iterated twice, to announce a redrive and to carry it out, but each file is read only once. A change in
 * between does no harm: a file that is back is fetched again, free, and the next redrive finds a file lost since.
 */
export function withLostFiles(rows: FoundRows, place: Place, rules: RedriveRules): FoundRows {
  if (rules.step !== null) return rows;
  if (rules.accept) return withEarlierTakes(rows, place);
  const search = new FileSearch(place, rules);
  return {
    async *[Symbol.asyncIterator]() {
      for await (const found of rows) yield* await search.asStored(found);
    },
  };
}

/** Adds to rows what is known about the takes that they go back to. */
function withEarlierTakes(rows: FoundRows, place: Place): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const found of rows) {
        const { take } = found;
        yield take === undefined ? found : { ...found, earlier: await readTake(found.scanned, take, place) };
      }
    },
  };
}

/** What a search has found about a row's files. */
interface FileState {
  /** How the file is lost; omitted if it is not. */
  readonly is?: FileLoss | undefined;
  /** True if lost texts of the row were stored again. */
  readonly isRewritten: boolean;
}

/** Searches for the files of rows, and remembers what it found. */
class FileSearch {
  readonly #place: Place;
  readonly #rules: RedriveRules;
  readonly #isDamaged: boolean;
  readonly #seen = new Map<number, FileState>();

  constructor(place: Place, rules: RedriveRules) {
    this.#place = place;
    this.#rules = rules;
    this.#isDamaged = rules.damaged === true;
  }

  /**
   * Returns what the redrive has to consider: the row, or parts in its place; nothing if only rows with lost files are
   * wanted and it has none.
   */
  async asStored(found: FoundRow): Promise<readonly FoundRow[]> {
    const { row } = found.scanned;
    if (found.edit !== null || row.outcome === null) return this.#isDamaged ? [] : [found];
    if (row.parts !== null) return this.#inParts(found);
    const stored = await this.#single(found, async () => this.#isJoined(row));
    return !this.#isDamaged || stored !== found || isLostPart(found.scanned) ? [stored] : [];
  }

  /**
   * Checks a row without parts, or a part. `isJoined`: returns whether the row that a part belongs to has its joined
   * file.
   */
  async #single(found: FoundRow, isJoined: () => Promise<boolean>): Promise<FoundRow> {
    const { row, charges } = found.scanned;
    const hasResultNow = hasResult(row.outcome);
    const isChecked = hasResultNow
      ? this.#rules.replace || this.#isDamaged
      : this.#isDamaged && row.outcome === 'unfit';
    const { is, isRewritten } = isChecked ? await this.#check(row.row, row) : { isRewritten: false };
    if (is !== undefined) {
      await this.#place.store.requireOwn();
      // Nobody asked to replace an unfit result, so its file is only fetched again if that is free.
      if (!hasResultNow) return isBroughtBackFree(found.scanned, is) ? withoutResult(found, is) : found;
      return withoutResult(found, is, await isJoined());
    }
    if (isRewritten) return { ...found, rewritten: true };
    if (hasResultNow) return found;
    const lost = lostAttempt(charges);
    if (lost?.file == null || jobOfFile(lost) === undefined) return found;
    const files = { file: lost.file, extraFiles: [], text: null };
    const isThere = (await this.#check(row.row, files)).is === undefined;
    return isThere ? { ...found, restored: true } : found;
  }

  /** Checks a row with parts. */
  async #inParts(found: FoundRow): Promise<readonly FoundRow[]> {
    const { row } = found.scanned;
    if (!hasResult(row.outcome)) {
      return this.#isDamaged ? this.#lostOf(await this.#matchingParts(row), false) : [found];
    }
    if (!this.#isDamaged && !this.#rules.replace) return [found];
    const { is } = await this.#check(row.row, row);
    if (is === undefined && !this.#isDamaged) return [found];
    if (is !== undefined) await this.#place.store.requireOwn();
    const parts = await this.#lostOf(await this.#place.ledger.partsOf(this.#place.batch, row.row), is === undefined);
    return is === undefined || parts.length > 0 ? parts : [withoutResult(found, is)];
  }

  /**
   * Returns the parts whose file is lost. `isJoined`: their row has its joined file, so only free ones are returned.
   */
  async #lostOf(parts: readonly RowSnapshot[], isJoined: boolean): Promise<readonly FoundRow[]> {
    const lost: FoundRow[] = [];
    for (const scanned of parts) {
      const found: FoundRow = { scanned, edit: null };
      const stored = await this.#single(found, () => Promise.resolve(isJoined));
      const isWanted = !isJoined || isFetchedFree(stored.scanned.row, stored.scanned.charges);
      if ((stored !== found || isLostPart(scanned)) && isWanted) lost.push(stored);
    }
    return lost;
  }

  /**
   * Returns the parts to check of a row without a result: those the conditions select, and those with a result that
   * meet them.
   */
  async #matchingParts(row: RowRecord): Promise<readonly RowSnapshot[]> {
    const { only = {} } = this.#rules;
    const parts = await this.#place.ledger.partsOf(this.#place.batch, row.row);
    const selected = matchingParts(row, parts, only);
    return parts.filter((part) => selected.includes(part) || (hasResult(part.row.outcome) && meets(part.row, only)));
  }

  /** Returns whether the row that a part belongs to has its joined file. */
  async #isJoined({ partOf }: RowRecord): Promise<boolean> {
    const whole = partOf === null ? undefined : await this.#place.ledger.readRow(this.#place.batch, partOf);
    return (
      whole !== undefined &&
      hasResult(whole.row.outcome) &&
      (await this.#check(whole.row.row, whole.row)).is === undefined
    );
  }

  /** Checks the files of a row, once per search. */
  async #check(row: number, files: RowFiles): Promise<FileState> {
    const before = this.#seen.get(row);
    if (before !== undefined) return before;
    const { store } = this.#place;
    const { is, texts } = await lossOf(files, store.files);
    const rewritten = this.#isDamaged && is === undefined ? texts : [];
    const found = { is, isRewritten: rewritten.length > 0 };
    if (found.isRewritten) await store.requireOwn();
    for (const text of rewritten) await store.rewrite?.(text);
    this.#seen.set(row, found);
    return found;
  }
}

/**
 * Returns whether a part failed because its file was lost, as the join may have found, and can be fetched again free.
 */
function isLostPart({ row, charges }: RowSnapshot): boolean {
  return row.partOf !== null && lostAttempt(charges)?.file != null && isFetchedFree(row, charges);
}

/**
 * Reads what is known about an earlier take of a row besides its attempts. Stores lost subtitles again that can be made
 * from its other files. Throws if the store is not the ledger's own.
 */
async function readTake(
  { row, charges }: RowSnapshot,
  take: number,
  { ledger, batch, store }: Place,
): Promise<FoundTake> {
  const takes = await ledger.takesOf(batch, row.row);
  const editedBy = takes.find((one) => one.take > take && one.before.spec !== undefined)?.take;
  const file = row.parts === null ? resultOfTake(row.spec, charges, take)?.file : undefined;
  if (file == null) return { take, ...defined({ editedBy }) };
  const released = await ledger.releasedFiles(batch, row.row);
  const before = takes.map((one) => [one.before.file, ...one.before.extraFiles]);
  const extraFiles = filesBeside(file, [...before, ...released.map(({ files }) => files)]);
  const text = file.extension === 'txt' ? await readText(file, store) : undefined;
  const is = await lossAt({ file, extraFiles, text: text ?? null }, store);
  return { take, ...defined({ editedBy, is, text }) };
}

/** Returns how the files of an earlier take are lost; undefined if they are not. */
async function lossAt(
  files: RowFiles & { readonly file: ResultFile },
  store: SearchedStore,
): Promise<EarlierTake['is']> {
  const { file } = files;
  if (file.removedAt !== undefined) {
    return (await checkStored(file, store.files)) === 'intact' ? undefined : 'removed';
  }
  const { is, texts } = await lossOf(files, store.files);
  if (is !== undefined || texts.length > 0) await store.requireOwn();
  if (is === undefined) for (const text of texts) await store.rewrite?.(text);
  return is;
}

/** Returns the text of a stored transcript, without the line feed at its end; undefined if the file is lost. */
async function readText(file: ResultFile, { files }: SearchedStore): Promise<string | undefined> {
  if ((await checkStored(file, files)) !== 'intact') return undefined;
  return (await textOf(await files.read(file.key))).replace(/\n$/u, '');
}
