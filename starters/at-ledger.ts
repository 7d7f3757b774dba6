import { openRecords } from '../client/open-records.ts';
import { readSettings, type CommandSettings } from './connect/settings.ts';

type Ledger = Awaited<ReturnType<typeof openRecords>>;

/**
 * Opens the ledger for a command that needs only the records, and closes it afterwards. Makes nothing: where there is no ledger yet, that
 * is an error with the next command.
 */
export async function atLedger<T>(work: (ledger: Ledger, settings: CommandSettings) => Promise<T>): Promise<T> {
  const settings = await readSettings();
  const ledger = await openRecords(settings, { mustExist: true });
  try {
    return await work(ledger, settings);
  } finally {
    await ledger.close();
  }
}
