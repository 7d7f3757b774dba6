import { databaseOf } from '../migrate.ts';
import { driverOf } from '../open-ledger.ts';
import type { CopySide } from './copy-side.ts';

/**
 * Opens one side of a copy (the ledger FROM, or TO), by its address. `onMade`: create it if needed, and call this once
 * its file is created (see `openLedger`); omitted: it must exist. The caller closes `database.db`. Throws
 * `LedgerUnreachable`, `LedgerTooNew`, and `LedgerMissing`.
 */
export async function openSide(address: string, onMade?: () => void): Promise<CopySide> {
  const { driver, place } = await driverOf(address);
  if (onMade !== undefined) await driver.make(place, onMade);
  const dialect = await driver.open(place, {
    mustExist: onMade === undefined,
    makesTables: onMade !== undefined,
    patienceMs: 0,
    readsWholeTables: true,
  });
  const database = await databaseOf(dialect, driver, place, { hasReserve: false });
  return { database, dialect: await driver.copying(), versions: Object.keys(driver.versions) };
}
