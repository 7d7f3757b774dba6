import { defined } from '../../contract/defined.ts';
import { stepsIn } from '../../contract/row-kinds.ts';
import { stillGivenUp, undoGiveUp } from './lost-files.ts';
import type { RowEnding } from '../rows/row-effects.ts';
import { selectCharges } from '../rows/row-in-transaction.ts';
import type { RowLine, Tx } from '../schema.ts';
import { removeTake, takesOf } from './takes.ts';

/** A row back at its previous take: its ending there, and the columns that put it back. */
export interface UndoneTake {
  readonly ending: RowEnding;
  readonly columns: Pick<RowLine, 'take' | 'redo_from'> & Partial<Pick<RowLine, 'accepted_take' | 'returned_to'>>;
}

type TakenRow = Pick<RowLine, 'batch' | 'row' | 'take' | 'kind'>;

/** Starts the reads of {@link undoTake} for these rows in advance. */
export function prefetchUndo(tx: Tx, rows: readonly TakenRow[]): void {
  tx.unit?.collectReads(() => {
    for (const { batch, row, take } of rows) {
      if (take === 1) continue;
      // A read that fails here fails again in `undoTake`, which throws.
      for (const read of [takesOf(tx, batch, row), selectCharges(tx, { batch, row })]) read.catch(() => undefined);
    }
  });
}

/**
 * Undoes a row's present take if it was made to replace a request in doubt, or a job that may still run or is read
 * again, and no attempt of it is on record: only at its previous take can the row get that job or wait for it. The
 * caller changes the row by the answer. Undefined, without any change, if the row keeps its take.
 */
export async function undoTake(tx: Tx, { batch, row, take, kind }: TakenRow): Promise<UndoneTake | undefined> {
  if (take === 1) return undefined;
  const [last, earlier] = (await takesOf(tx, batch, row)).toReversed();
  if (last?.take !== take || (last.reason !== 'resubmitted' && last.reason !== 'on-unknown')) return undefined;
  const { outcome, failure, file, extraFiles, spec, standing, givenUp } = last.before;
  // An edited row has a different request now.
  if (spec !== undefined) return undefined;
  const charges = await selectCharges(tx, { batch, row });
  if (charges.some((one) => one.take === take)) return undefined;
  // The request to replace is of the take before, or of the one that the row had gone back to.
  const replaced = [take - 1, standing?.returnedTo ?? take - 1];
  // Its answer, or its job's end, may have come meanwhile.
  const isUnresolved = charges
    .filter((one) => replaced.includes(one.take))
    .some((one) =>
      outcome === 'overdue' ? one.state === 'accepted' && one.finished_at === null : one.state === 'unknown',
    );
  const lost = givenUp === undefined ? undefined : stillGivenUp(charges, givenUp);
  const wasRead = lost !== undefined && givenUp?.isRead === true;
  if (!isUnresolved && !wasRead) return undefined;
  if (lost !== undefined && givenUp !== undefined) await undoGiveUp(tx, lost, givenUp);
  await removeTake(tx, { batch, row, take });
  // Where the row's results came from is on record (`standing`), except by earlier versions.
  const [first] = stepsIn({ kind });
  const from = earlier?.take === take - 1 ? earlier.fromStep : first;
  return {
    // An automatic take is made before the row has an outcome.
    ending: {
      outcome: outcome ?? 'unknown',
      ...defined({ failure: failure ?? undefined, file: file ?? undefined }),
      ...(extraFiles.length === 0 ? {} : { extraFiles }),
    },
    columns: {
      take: take - 1,
      ...(standing === undefined
        ? { redo_from: from === undefined || from === first ? null : from }
        : { redo_from: standing.redoFrom, accepted_take: standing.acceptedTake, returned_to: standing.returnedTo }),
    },
  };
}
