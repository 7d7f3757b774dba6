import { defined } from '../contract/defined.ts';
import type { Ledger } from './ledger.ts';
import type { LockMethods } from './lock-methods.ts';
import { METHODS, type Method } from './methods.ts';
import { withReserve, type Reserve } from './reserve.ts';
import { scanRows } from './rows/scans.ts';
import type { Db } from './schema.ts';

/** An open database whose tables are up to date, and the locks beside it. */
export interface OpenDatabase extends Pick<Ledger, 'id' | 'origin' | 'place' | 'former'> {
  readonly db: Db;
  readonly locks: LockMethods;
  readonly findStrange: Ledger['strangeParts'];
  /** Room kept for answers; undefined: none. */
  readonly reserve?: Reserve;
}

/** Assembles the ledger. */
export function createLedger({ db, id, origin, place, locks, findStrange, reserve, former }: OpenDatabase): Ledger {
  const bound = bind(db);
  const ledger: Ledger = {
    ...locks,
    ...bound,
    id,
    origin,
    place,
    ...defined({ former }),
    strangeParts: findStrange,
    scanRows: (batch, options = {}) => scanRows((after) => bound.scanPage(batch, options, after)),
    makeRoom: () => Promise.resolve(),
    leaveRoom: () => Promise.resolve(),
  };
  return reserve === undefined ? ledger : withReserve(ledger, reserve);
}

/** Each method without its first argument, the database. */
function bind(db: Db): Pick<Ledger, keyof typeof METHODS> {
  const bound = Object.entries<Method>(METHODS).map(([name, method]) => [name, method.bind(undefined, db)]);
  return Object.fromEntries(bound) as Pick<Ledger, keyof typeof METHODS>;
}
