import { isUsableName } from '../../contract/batch-name.ts';
import { isPausedByPerson } from '../../batches/status/standstill.ts';
import { acceptBackup } from '../../ledger/backup/accept-backup.ts';
import type { ClearedDoubts } from '../../ledger/database/copy-doubts.ts';
import { byPerson } from '../history/by-person.ts';
import { openRecords } from '../open-records.ts';
import type { Settings } from '../settings.ts';

/** Result of accepting a copy as the ledger. */
export interface AcceptedCopy {
  /** The ledger's place. */
  readonly ledger: string;
  /** Open batches, now all paused: some of their rows may have been sent after the copy was made. */
  readonly paused: readonly string[];
  /** Schedules that were paused now: their firings after the copy was made are not on record either. */
  readonly pausedSchedules: readonly string[];
}

/**
 * Accepts a copy of the ledger, such as a restored backup or a replica that took over, as the ledger to work with. It
 * may lack the latest records, so every open batch and every schedule is paused first: a person compares it with the
 * account before anything is sent. Throws {@link VoxbatchError} (`no-ledger`, `machine`).
 */
export async function acceptCopy(settings: Settings): Promise<AcceptedCopy> {
  const ledger = await openRecords({ ...settings, onReadOnly: () => undefined }, { mustExist: true });
  try {
    const by = byPerson(settings);
    // A restored backup refuses all writes, so it is accepted in its own way, unless another process has just done so.
    const { batches, schedules } =
      (ledger.readOnly?.type === 'backup' ? await acceptBackup(settings.ledger, by) : undefined) ??
      (await ledger.acceptCopy(by));
    return {
      ledger: ledger.place,
      paused: batches.filter(isUsableName),
      pausedSchedules: schedules.filter(isUsableName),
    };
  } finally {
    await ledger.close();
  }
}

/**
 * Records that a person has compared an accepted copy with the account, so that its batches can be resumed: clears the
 * doubts about processes that have not recorded their requests again, and about requests that fit no row. Pauses
 * nothing. `paused`: the batches that wait to be resumed. Throws {@link VoxbatchError} (`no-ledger`, `machine`).
 */
export async function clearCopyDoubts(settings: Settings): Promise<ClearedDoubts & Pick<AcceptedCopy, 'paused'>> {
  const ledger = await openRecords(settings, { mustExist: true });
  try {
    const cleared = await ledger.clearDoubts(byPerson(settings));
    const batches = await ledger.listBatches();
    const paused = new Set(batches.filter(isPausedByPerson).map(({ name }) => name));
    // Held: not resumed or redriven since the copy was accepted.
    const held = (await ledger.heldBatches()).map(({ batch }) => batch);
    return { ...cleared, paused: held.filter((batch) => paused.has(batch) && isUsableName(batch)) };
  } finally {
    await ledger.close();
  }
}
