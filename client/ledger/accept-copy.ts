import { isUsableName } from '../../contract/batch-name.ts';
import { acceptBackup } from '../../ledger/backup/accept-backup.ts';
import type { ClearedDoubts } from '../../ledger/database/copy-doubts.ts';
import { byPerson } from '../history/by-person.ts';
import { openRecords } from '../open-records.ts';
import type { Settings } from '../settings.ts';

/** What was done to take a copy for the ledger. */
export interface AcceptedCopy {
  /** The ledger's place. */
  readonly ledger: string;
  /** Open batches, all paused now: rows of them may have been sent after the copy was made. */
  readonly paused: readonly string[];
  /** Schedules that were not paused, and are now: what they fired after the copy was made is not on record either. */
  readonly pausedSchedules: readonly string[];
}

/**
 * Takes the database behind the ledger's address for the ledger although it is a copy, such as a replica that took over
 * or a restored backup. It may lack the last records, so every open batch and every schedule is paused first: a person
 * compares with the account before anything is sent. Throws {@link VoxbatchError} (`no-ledger`, `machine`).
 */
export async function acceptCopy(settings: Settings): Promise<AcceptedCopy> {
  const ledger = await openRecords({ ...settings, onReadOnly: () => undefined }, { mustExist: true });
  try {
    const by = byPerson(settings);
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
 * Says that a person has compared what was sent with the account: nobody waits any more for processes that have not
 * recorded it again, nor for requests that fit nowhere. Accepts and pauses nothing. Throws {@link VoxbatchError}
 * (`no-ledger`, `machine`).
 */
export async function clearCopyDoubts(settings: Settings): Promise<ClearedDoubts> {
  const ledger = await openRecords(settings, { mustExist: true });
  try {
    return await ledger.clearDoubts(byPerson(settings));
  } finally {
    await ledger.close();
  }
}
