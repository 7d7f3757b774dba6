import { text as textOf } from 'node:stream/consumers';
import type { FileLoss } from '../../contract/file-loss.ts';
import { hasResult } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowRecord, RowSnapshot } from '../../ledger/rows/row-records.ts';
import { jobOfFile } from '../../policy/redrive/lost-file.ts';
import { isFetchedFree, lostAttempt } from '../../policy/redrive/redrive.ts';
import { isBroughtBackFree, lossOf, type RowFiles, type SearchedStore, without } from './find-loss.ts';
import { isIntact } from '../../results/files.ts';
import type { FoundRow, FoundRows, FoundTake, RedriveRules } from './selection.ts';
import { matchingParts, meets } from '../rows/find-rows.ts';
import { defined } from '../../contract/defined.ts';
import { type EarlierTake, filesBeside, resultOfTake } from '../../policy/redrive/earlier-take.ts';

/** Where the rows of a batch are, and their files. */
interface Place {
  readonly ledger: Pick<Ledger, 'partsOf' | 'readRow' | 'takesOf' | 'releasedFiles'>;
  readonly batch: string;
  readonly store: SearchedStore;
}

/**
 * The rows of a redrive, as the store has them. If it replaces results, rows whose stored file is not what is on record
 * come as what they are: rows without a result. So what was paid for is fetched again, free, before anything is paid
 * for. Rows whose lost file is back come as `restored`. With `damaged`, only these two, and rows whose lost file did
 * not pass a check, where it is fetched again free. A text that is known without the API is no loss; with `damaged` it
 * is stored again.
 *
 * Where results are accepted, only the files of earlier takes are looked at that rows go back to.
 *
 * A row in parts is joined from their files, so these are looked at, too: lost ones come in its stead, and no other
 * part.
 *
 * Each file is read once, however often the rows are: to announce a redrive, and to carry it out. A file may change in
 * between, and that does no harm: one that is back by then is fetched again, free, and the next redrive finds one that
 * was lost since.
 */
export function withLostFiles(rows: FoundRows, place: Place, rules: RedriveRules): FoundRows {
  if (rules.step !== null) return rows;
  if (rules.accept) return withEarlierTakes(rows, place);
  const search = new Search(place, rules);
  return {
    async *[Symbol.asyncIterator]() {
      for await (const found of rows) yield* await search.asStored(found);
    },
  };
}

/** The rows, with what is known about the takes that they go back to. */
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

/** What a search has found of a row's files. */
interface Found {
  /** How its file is lost. Default: it is not. */
  readonly is?: FileLoss | undefined;
  /** Lost texts of it were stored again. */
  readonly isRewritten: boolean;
}

/** A search for the files of rows, which remembers what it found. */
class Search {
  readonly #place: Place;
  readonly #rules: RedriveRules;
  readonly #isDamaged: boolean;
  readonly #seen = new Map<number, Found>();

  constructor(place: Place, rules: RedriveRules) {
    this.#place = place;
    this.#rules = rules;
    this.#isDamaged = rules.damaged === true;
  }

  /**
   * What a redrive does something with: the row, or parts in its stead; none if only lost files are meant, and it has
   * none.
   */
  async asStored(found: FoundRow): Promise<readonly FoundRow[]> {
    const { row } = found.scanned;
    if (found.edit !== null || row.outcome === null) return this.#isDamaged ? [] : [found];
    if (row.parts !== null) return this.#inParts(found);
    const stored = await this.#single(found, async () => this.#isJoined(row));
    return !this.#isDamaged || stored !== found || isLostPart(found.scanned) ? [stored] : [];
  }

  /** A row without parts, or a part of one. `isJoined`: whether its row can do without it. */
  async #single(found: FoundRow, isJoined: () => Promise<boolean>): Promise<FoundRow> {
    const { row, charges } = found.scanned;
    const isWell = hasResult(row.outcome);
    const isKept = isWell ? this.#rules.replace || this.#isDamaged : this.#isDamaged && row.outcome === 'unfit';
    const { is, isRewritten } = isKept ? await this.#look(row.row, row) : { isRewritten: false };
    if (is !== undefined) {
      await this.#place.store.requireOwn();
      // Of a result that did not pass, nobody has asked for another one.
      if (!isWell) return isBroughtBackFree(found.scanned, is) ? without(found, is) : found;
      return without(found, is, await isJoined());
    }
    if (isRewritten) return { ...found, rewritten: true };
    if (isWell) return found;
    const lost = lostAttempt(charges);
    if (lost?.file == null || jobOfFile(lost) === undefined) return found;
    const files = { file: lost.file, extraFiles: [], text: null };
    const isThere = (await this.#look(row.row, files)).is === undefined;
    return isThere ? { ...found, restored: true } : found;
  }

  async #inParts(found: FoundRow): Promise<readonly FoundRow[]> {
    const { row } = found.scanned;
    if (!hasResult(row.outcome)) {
      return this.#isDamaged ? this.#lostOf(await this.#matchingParts(row), false) : [found];
    }
    if (!this.#isDamaged && !this.#rules.replace) return [found];
    const { is } = await this.#look(row.row, row);
    if (is === undefined && !this.#isDamaged) return [found];
    if (is !== undefined) await this.#place.store.requireOwn();
    const parts = await this.#lostOf(await this.#place.ledger.partsOf(this.#place.batch, row.row), is === undefined);
    return is === undefined || parts.length > 0 ? parts : [without(found, is)];
  }

  /** Those of the parts whose file is lost. `isJoined`: their row has its file, so that none is paid for. */
  async #lostOf(parts: readonly RowSnapshot[], isJoined: boolean): Promise<readonly FoundRow[]> {
    const lost: FoundRow[] = [];
    for (const scanned of parts) {
      const found: FoundRow = { scanned, edit: null };
      const stored = await this.#single(found, () => Promise.resolve(isJoined));
      const isMeant = !isJoined || isFetchedFree(stored.scanned.row, stored.scanned.charges);
      if ((stored !== found || isLostPart(scanned)) && isMeant) lost.push(stored);
    }
    return lost;
  }

  async #matchingParts(row: RowRecord): Promise<readonly RowSnapshot[]> {
    const { only = {} } = this.#rules;
    const parts = await this.#place.ledger.partsOf(this.#place.batch, row.row);
    const lacking = matchingParts(row, parts, only);
    return parts.filter((part) => lacking.includes(part) || (hasResult(part.row.outcome) && meets(part.row, only)));
  }

  /** Whether the row of a part has its joined file. */
  async #isJoined({ partOf }: RowRecord): Promise<boolean> {
    const whole = partOf === null ? undefined : await this.#place.ledger.readRow(this.#place.batch, partOf);
    return (
      whole !== undefined &&
      hasResult(whole.row.outcome) &&
      (await this.#look(whole.row.row, whole.row)).is === undefined
    );
  }

  /** Looks for the files of a row, once. */
  async #look(row: number, files: RowFiles): Promise<Found> {
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

/** Whether a part failed for want of its file, as the join may have found it, and is fetched again free. */
function isLostPart({ row, charges }: RowSnapshot): boolean {
  return row.partOf !== null && lostAttempt(charges)?.file != null && isFetchedFree(row, charges);
}

/**
 * What is known about an earlier take of a row besides its attempts. Lost subtitles of it that follow from its other
 * files are stored again. Throws if the store is not that of the ledger.
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

async function lossAt(
  files: RowFiles & { readonly file: ResultFile },
  store: SearchedStore,
): Promise<EarlierTake['is']> {
  const { file } = files;
  if (file.removedAt !== undefined) {
    return (await isIntact(file, store.files)) === 'intact' ? undefined : 'removed';
  }
  const { is, texts } = await lossOf(files, store.files);
  if (is !== undefined || texts.length > 0) await store.requireOwn();
  if (is === undefined) for (const text of texts) await store.rewrite?.(text);
  return is;
}

/** What a transcript says: its file ends with a line feed. Undefined: the file is lost. */
async function readText(file: ResultFile, { files }: SearchedStore): Promise<string | undefined> {
  if ((await isIntact(file, files)) !== 'intact') return undefined;
  return (await textOf(await files.read(file.key))).replace(/\n$/u, '');
}
