import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { standstillOf, type Standstill } from '../../batches/look/standstill.ts';
import { exitOfView } from '../../batches/look/view-batch.ts';
import type { Pilot } from '../../batches/subset/pilot.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { decideAfterSample } from '../../policy/subset/after-sample.ts';
import { readEnd, writeClaimed, type EndOfRun, type WriteRequest, type WrittenFiles } from '../look/write-files.ts';
import type { Person } from '../person.ts';
import type { Session } from '../session.ts';
import { isDeserted } from '../temporal/anybody-in.ts';

/** A batch whose files were written in its current state. */
export interface FinishedBatch extends WrittenFiles, EndOfRun {
  readonly batch: BatchRecord;
  /** Absolute. */
  readonly out: string;
  /** Why nobody works on it; undefined: somebody does, or may be about to. */
  readonly standstill: Standstill | undefined;
  /** It is certain that nobody works on it. */
  readonly isDeserted: boolean;
}

/** Writes the files of a batch, and tells all that is known of it then. Can be repeated. Throws as {@link writeClaimed} does. */
export async function finishBatch(
  session: Session,
  { batch: name, ...place }: Pick<WriteRequest, 'onFilesMade'> & { readonly batch: string; readonly out: string },
): Promise<FinishedBatch> {
  const { settings } = session;
  const [ledger, store] = [await session.ledger(), await session.store()];
  const batch = await ledger.findBatch(name);
  if (batch === undefined) throw new Error(`Batch "${name}" is no longer in the ledger.`);
  const isClosed = batch.state === 'closed';
  return {
    ...(await readEnd(ledger, await writeClaimed({ ...place, ledger, settings, store, batch }))),
    standstill: isClosed ? undefined : await standstillOf(ledger, batch),
    isDeserted: !isClosed && (await isDeserted(ledger, settings.home)),
  };
}

/** How a batch stands, where nothing of it is written: its exit code, its counts, and whether what its rows asked for was removed. */
export async function standingOf(
  session: Session,
  batch: BatchRecord,
): Promise<Pick<FinishedBatch, 'exit' | 'counts'> & { readonly isCleaned: boolean }> {
  const counts = await (await session.ledger()).counts(batch.name);
  return { counts, exit: exitOfView({ batch, counts }), isCleaned: areRowsCleaned(batch) };
}

/**
 * Whether the rows that a sample left out are sent now. `stop`: because there are none, because rows of the sample did not succeed and nobody looks
 * at them, or because nobody has agreed.
 */
export function afterSample(
  exit: ExitName,
  { left }: Pick<Pilot, 'left'>,
  { yes, canAsk }: Pick<Person, 'yes' | 'canAsk'>,
): ReturnType<typeof decideAfterSample> {
  return decideAfterSample({ exit, left, yes, canAsk });
}
