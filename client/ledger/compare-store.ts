import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import type { By } from '../../contract/actions.ts';
import { isUsableName } from '../../contract/batch-name.ts';
import type { NamedResultFile } from '../../contract/named-result-file.ts';
import { isListed, operationOf, stepsIn } from '../../contract/row-kinds.ts';
import type { HeldBatch } from '../../ledger/database/copy-doubts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { inChunks } from '../../results/in-chunks.ts';
import { jobStemOf, placeOfKey } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import { openStoreOf, requireStore } from '../claim-store.ts';
import { byPerson } from '../history/by-person.ts';
import { withTimes } from '../../batches/reconcile/dated-files.ts';
import { findUnknownFolders, type UnknownFolders } from '../../batches/reconcile/unknown-folders.ts';
import { openRecords } from '../open-records.ts';
import type { Settings } from '../settings.ts';

/** Files that one query looks up in the ledger. */
const FILES_AT_ONCE = 500;

/**
 * A batch of an accepted copy (a restored backup or a replica, which may lack the latest records), compared with its
 * files in the store.
 */
export interface ComparedBatch {
  readonly batch: string;
  /** It had ended: nothing of it is sent until a person extends or redrives it. */
  readonly isClosed: boolean;
  /** Rows whose result is in the store, but whose answer is not on record. They are now `unknown`. */
  readonly found: number;
  /**
   * Files of rows or takes that the ledger does not have. While there are any, the batch cannot be resumed or redriven.
   */
  readonly unplaced: readonly string[];
  /** Max rows that a resume would send; some of them may have been sent before. 0 for a closed batch. */
  readonly toSend: number;
  /**
   * Start and end of the time whose requests are not on record, ms since 1970. Rows whose requests left no file are
   * still counted in `toSend`.
   */
  readonly from: number;
  readonly until: number;
  /** Whether the API lists the jobs of all its rows; otherwise the account does not show what was sent. */
  readonly isListed: boolean;
}

/** The batches of an accepted copy, compared with the store. */
export interface ComparedStore {
  readonly ledger: string;
  readonly store: string;
  readonly batches: readonly ComparedBatch[];
  /** Folders of batches that the ledger lacks altogether. */
  readonly unknown: UnknownFolders;
}

/**
 * Searches the store for results of requests that an accepted copy of the ledger, such as a restored backup, does not
 * have on record. Records these requests as in doubt, so that no row whose result exists is sent again. Searches the
 * folder of each batch that was not resumed or redriven since the copy was accepted, including ended batches, which may
 * have been extended or redriven after the copy was made. Also counts the results of batches that the ledger lacks.
 * Free and repeatable. Throws {@link VoxbatchError} (`no-ledger`, `machine`, `store-missing`, `store-of-another`,
 * `other-store`).
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
        // The inputs of its rows were removed, so none of them can be sent again.
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
  let isRecorded = isClosed;
  const released = new Set((await ledger.releasedJobs(name)).map((job) => jobStemOf(batch.layout, job, job.jobId)));
  for await (const files of inChunks(filesOf(store, batch, released), FILES_AT_ONCE)) {
    const unanswered = await ledger.filesWithoutAnswer(name, onePerRequest(files));
    if (unanswered.length === 0) continue;
    const recorded = await ledger.noteFoundFiles(name, await withTimes(store, unanswered), { from, by });
    for (const row of recorded.rows) rows.add(row);
    unplaced.push(...recorded.unplaced);
    isRecorded = true;
  }
  // Even if nothing was found, records that an open batch was compared.
  if (!isRecorded) await ledger.noteFoundFiles(name, [], { from, by });
  const { states } = await ledger.counts(name);
  const until = (await ledger.acceptedAt()) ?? Date.now();
  const toSend = states.waiting + states.blocked + states.submitting;
  const isListed = await isAllListed(ledger, batch);
  return { batch: name, isClosed, found: rows.size, unplaced, toSend, from, until, isListed };
}

/**
 * Lists the results in a batch's folder, except those of jobs that a person has detached from their rows.
 *
 * @param released the keys of these jobs' files, without extensions
 */
async function* filesOf(
  store: Pick<Store, 'list'>,
  { layout }: BatchRecord,
  released: ReadonlySet<string>,
): AsyncGenerator<NamedResultFile, undefined> {
  for await (const key of store.list(layout.stem)) {
    const file = placeOfKey(key);
    if (file !== undefined && !released.has(key.replace(/\.[a-z0-9]+$/, ''))) yield file;
  }
}

/** Keeps one file of each request. */
function onePerRequest(files: readonly NamedResultFile[]): readonly NamedResultFile[] {
  return [...new Map(files.map((file) => [[file.row, file.step, file.take].join(' '), file])).values()];
}

/** Whether the API lists the jobs of all rows of a batch. */
async function isAllListed(ledger: Ledger, { name, settings }: BatchRecord): Promise<boolean> {
  for await (const { row } of ledger.scanRows(name)) {
    if (!stepsIn(row.spec).every((step) => isListed(operationOf(row.spec, step, settings.tts)))) return false;
  }
  return true;
}
