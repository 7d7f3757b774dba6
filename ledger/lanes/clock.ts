import type { Db } from '../schema.ts';

/** The time by the ledger's clock, which all processes that share the ledger have in common, ms since 1970. */
export function readClock(db: Db): Promise<number> {
  return Promise.resolve(db.now());
}
