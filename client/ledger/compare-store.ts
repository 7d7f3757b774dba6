import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import type { By } from '../../contract/actions.ts';
import { isUsableName } from '../../contract/batch-name.ts';
import type { DatedResultFile, NamedResultFile } from '../../contract/named-result-file.ts';
import { isListed, operationOf, stepsIn } from '../../contract/row-kinds.ts';
import type { HeldBatch } from '../../ledger/database/copy-doubts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { inChunks } from '../../results/in-chunks.ts';
import { jobStemOf, placeOfKey } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import { openStoreOf, requireStore } from '../claim-store.ts';
import { byPerson } from '../history/by-person.ts';
import { findUnknownFolders, type UnknownFolders } from './unknown-folders.ts';
import { openRecords } from '../open-records.ts';
import type { Settings } from '../settings.ts';

/** Files that are looked up in the ledger together. */
const FILES_AT_ONCE = 500;

/** What the store says about a batch that lacks its last records. */
export interface ComparedBatch {
  readonly batch: string;
  /** It had ended: nothing of it is sent before a person extends or redrives it. */
  readonly isClosed: boolean;
  /** Rows whose result is in the store without an answer on record. They are `unknown` now. */
  readonly found: number;
  /** Files of rows or takes that the ledger does not know, which forbid to resume or redrive the batch. */
  readonly unplaced: readonly string[];
  /** Rows that a resume would send, at most: some of them may turn out to have been sent. None of a closed batch. */
  readonly toSend: number;
  /** The time in which requests were sent that have no record, ms. Those without a file are still among `toSend`. */
  readonly from: number;
  readonly until: number;
  /** Whether the API lists the jobs of all its rows; otherwise nothing there shows what was sent. */
  readonly isListed: boolean;
}

/** The batches of an accepted copy, compared with the store. */
export interface ComparedStore {
  readonly ledger: string;
  readonly store: string;
  readonly batches: readonly ComparedBatch[];
  /** Folders of batches that the ledger does not know at all. */
  readonly unknown: UnknownFolders;
}

/**
 * Looks in the store for results of requests that the ledger does not have on record because it was restored: in the
 * folder of each batch that nobody has resumed or redriven since the copy was accepted, also of those that had ended:
 * they may have been extended or redriven since. Puts the requests on record as ones in doubt, so that no row is sent
 * again whose result is there. Counts the results of batches that the ledger does not know. Free, and repeatable.
 * Throws {@link VoxbatchError} (`no-ledger`, `machine`, `store-missing`, `store-of-another`, `other-store`).
 */
export async function compareStore(settings: Settings): Promise<ComparedStore> {
  const ledger = await openRecords(settings, { mustExist: true });
  try {
    await requireStore(settings, ledger);
    const store = await openStoreOf(settings);
    try {
      const by = byPerson(settings);
      const batches: ComparedBatch[] = [];
      for (const held of await ledger.heldBatches()) {
        const batch = isUsableName(held.batch) ? await ledger.findBatch(held.batch) : undefined;
        // What its rows asked for is gone, so nothing of it can be sent again.
        if (batch === undefined || areRowsCleaned(batch)) continue;
        batches.push(await compareBatch(ledger, store, batch, held, by));
      }
      const unknown = await findUnknownFolders(ledger, store);
      return { ledger: ledger.place, store: settings.store, batches, unknown };
    } finally {
      await store.close();
    }
  } finally {
    await ledger.close();
  }
}

async function compareBatch(
  ledger: Ledger,
  store: Pick<Store, 'list' | 'measure'>,
  batch: BatchRecord,
  { from }: HeldBatch,
  by: By,
): Promise<ComparedBatch> {
  const { name } = batch;
  const isClosed = batch.state === 'closed';
  const rows = new Set<number>();
  const unplaced: string[] = [];
  let isNoted = isClosed;
  const takenBack = new Set((await ledger.releasedJobs(name)).map((job) => jobStemOf(batch.layout, job, job.jobId)));
  for await (const files of inChunks(filesOf(store, batch, takenBack), FILES_AT_ONCE)) {
    const lacking = await ledger.filesWithoutAnswer(name, onePerRequest(files));
    if (lacking.length === 0) continue;
    const noted = await ledger.noteFoundFiles(name, await withTimes(store, lacking), { from, by });
    for (const row of noted.rows) rows.add(row);
    unplaced.push(...noted.unplaced);
    isNoted = true;
  }
  // That it was compared is on record, too, if something is to be sent.
  if (!isNoted) await ledger.noteFoundFiles(name, [], { from, by });
  const { states } = await ledger.counts(name);
  const until = (await ledger.acceptedAt()) ?? Date.now();
  const toSend = states.waiting + states.blocked + states.submitting;
  const isListed = await isAllListed(ledger, batch);
  return { batch: name, isClosed, found: rows.size, unplaced, toSend, from, until, isListed };
}

/** The results in a batch's folder, except those of jobs that a person has taken back from their rows. */
async function* filesOf(
  store: Pick<Store, 'list'>,
  { layout }: BatchRecord,
  takenBack: ReadonlySet<string>,
): AsyncGenerator<NamedResultFile, undefined> {
  for await (const key of store.list(layout.stem)) {
    const file = placeOfKey(key);
    if (file !== undefined && !takenBack.has(key.replace(/\.[a-z0-9]+$/, ''))) yield file;
  }
}

/** Of several files of one request, any. */
function onePerRequest(files: readonly NamedResultFile[]): readonly NamedResultFile[] {
  return [...new Map(files.map((file) => [[file.row, file.step, file.take].join(' '), file])).values()];
}

/** The files that are still there, with the time of each. */
async function withTimes(
  store: Pick<Store, 'measure'>,
  files: readonly NamedResultFile[],
): Promise<readonly DatedResultFile[]> {
  const measured = await store.measure(files.map(({ key }) => key));
  return files.flatMap((file, at) => {
    const writtenAt = measured[at]?.writtenAt;
    return writtenAt === undefined ? [] : [{ ...file, writtenAt: Math.round(writtenAt) }];
  });
}

async function isAllListed(ledger: Ledger, { name, settings }: BatchRecord): Promise<boolean> {
  for await (const { row } of ledger.scanRows(name)) {
    if (!stepsIn(row.spec).every((step) => isListed(operationOf(row.spec, step, settings.tts)))) return false;
  }
  return true;
}
