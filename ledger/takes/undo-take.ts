import { ofRow } from '../conditions.ts';
import { defined } from '../../contract/defined.ts';
import { stepsIn } from '../../contract/row-kinds.ts';
import { stillGivenUp, takeUp } from './lost-files.ts';
import type { RowEnding } from '../rows/row-effects.ts';
import type { RowLine, Tx } from '../schema.ts';
import { takesOf } from './takes.ts';

/** A row back at its previous take, with its ending there. */
export interface UndoneTake {
  readonly ending: RowEnding;
  readonly columns: Pick<RowLine, 'take' | 'redo_from'> & Partial<Pick<RowLine, 'accepted_take' | 'returned_to'>>;
}

/**
 * Undoes a take that was to replace a request in doubt, or a job that may still run or is read again, if nothing is on
 * record for it. Only at its previous take can the row get that job or wait for it. Undefined if the row keeps its
 * take.
 */
export async function undoTake(
  tx: Tx,
  { batch, row, take, kind }: Pick<RowLine, 'batch' | 'row' | 'take' | 'kind'>,
): Promise<UndoneTake | undefined> {
  if (take === 1) return undefined;
  const [last, earlier] = (await takesOf(tx, batch, row)).toReversed();
  if (last?.take !== take || (last.reason !== 'resubmitted' && last.reason !== 'on-unknown')) return undefined;
  const { outcome, failure, file, extraFiles, spec, standing, givenUp } = last.before;
  // An edited row has a different request now.
  if (spec !== undefined) return undefined;
  const charges = await tx.selectFrom('charges').selectAll().where(ofRow({ batch, row })).execute();
  if (charges.some((one) => one.take === take)) return undefined;
  // What it was to replace is of the take before, or of the one that the row had gone back to.
  const stoodAt = [take - 1, standing?.returnedTo ?? take - 1];
  // Its answer, or its job's end, may have come meanwhile.
  const isStill = charges
    .filter((one) => stoodAt.includes(one.take))
    .some((one) =>
      outcome === 'overdue' ? one.state === 'accepted' && one.finished_at === null : one.state === 'unknown',
    );
  const lost = givenUp === undefined ? undefined : stillGivenUp(charges, givenUp);
  const wasRead = lost !== undefined && givenUp?.isRead === true;
  if (!isStill && !wasRead) return undefined;
  if (lost !== undefined && givenUp !== undefined) await takeUp(tx, lost, givenUp);
  await tx.deleteFrom('takes').where('batch', '=', batch).where('row', '=', row).where('take', '=', take).execute();
  const [first] = stepsIn({ kind });
  const from = earlier?.take === take - 1 ? earlier.fromStep : first;
  return {
    // A take by itself is made before the row ends.
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
