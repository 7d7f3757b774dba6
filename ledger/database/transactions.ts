import type { Clock, Db, Schema, Tx } from '../schema.ts';
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import { CommitUnknown, LedgerAway } from '../errors.ts';
import { execute } from './prepared.ts';
import { unitAdapterOf, type UnitAdapter } from './unit-adapter.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/*
 * The ledger's transactions. Reads have one each. Writes that are wanted at the same moment share one: on a database
 * server as one unit of work (`unit-of-work.ts`), on a database in a file one after the other, behind savepoints.
 */

/** Adds the clock to a database or a transaction. */
export function withClock<T extends object>(database: T, { now }: Clock): T & Clock {
  return Object.assign(database, { now });
}

/** Returns the time of the ledger's clock, which all its processes share, ms since 1970. */
export function readClock(db: Db): Promise<number> {
  return Promise.resolve(db.now());
}

/** Starts the prepared queries whose answers the work will need; the unit of work keeps the answers. */
type Prefetch = (tx: Tx) => readonly Promise<unknown>[];

const queues = new WeakMap<Db, WriteQueue<Schema>>();

/**
 * Runs `work` inside a write transaction, possibly shared with other work of this process, and returns once it is
 * synced to disk. If `work` throws, only its own writes are rolled back. It sees the writes of earlier work in the
 * transaction. Writers wait for each other, also those of other processes. `prefetch` starts the reads of the work in
 * advance (see `unit-of-work.ts`).
 */
export async function write<R>(db: Db, work: (tx: Tx) => Promise<R>, prefetch?: Prefetch): Promise<R> {
  let queue = queues.get(db);
  if (queue === undefined) {
    queue = new WriteQueue<Schema>(db);
    queues.set(db, queue);
  }
  return queue.add(
    (tx, unit) => work(inGroup(tx, db, unit)),
    prefetch === undefined ? undefined : (tx, unit) => prefetch(inGroup(tx, db, unit)),
  );
}

function inGroup(tx: Transaction<Schema>, { now }: Clock, unit: UnitOfWork | undefined): Tx {
  return Object.assign(tx, { now, unit });
}

/** Waits for earlier calls, then closes the database. Does not wait for a server that does not answer. */
export async function close(db: Db): Promise<void> {
  unitAdapterOf(db)?.stopWaiting();
  await queues.get(db)?.idle();
  try {
    // Waits for reads in progress: those of a file share one connection, and use it one after the other.
    await db.connection().execute(() => Promise.resolve());
  } finally {
    await db.destroy();
  }
}

/** Runs `work` on a snapshot of the ledger. Never waits for a writer. */
export async function readSnapshot<R>(db: Db, work: (tx: Tx) => Promise<R>): Promise<R> {
  const once = (): Promise<R> =>
    db
      .transaction()
      .setAccessMode('read only')
      .execute((tx) => work(withClock(tx, db)));
  return unitAdapterOf(db)?.outage.repeat(once) ?? once();
}

/** Max size of one transaction: other processes wait for its lock. */
export interface GroupLimits {
  /** Maximum pieces of work. */
  readonly pieces: number;
  /** Time after which the transaction takes no more pieces, ms. */
  readonly ms: number;
}

const LIMITS: GroupLimits = { pieces: 64, ms: 10 };

const SAVEPOINT = CompiledQuery.raw('savepoint piece');
const RELEASE = CompiledQuery.raw('release savepoint piece');
const ROLL_BACK = CompiledQuery.raw('rollback to savepoint piece');

type Work<S, R> = (tx: Transaction<S>, unit: UnitOfWork | undefined) => R;

/** One piece of work and its caller's promise. `run` returns the function that resolves the promise. */
interface Piece<S> {
  readonly run: Work<S, Promise<() => void>>;
  readonly prefetch: Work<S, readonly Promise<unknown>[]> | undefined;
  readonly reject: (reason: unknown) => void;
}

/**
 * Concurrent writes share one transaction and its sync to disk, which costs more than all the rest.
 *
 * Of a piece that throws, nothing is kept, and only its caller gets the error; the other pieces are committed. No
 * caller gets a success before the commit has returned. If the transaction cannot begin or commit, all its callers get
 * the error, and nothing of it is kept.
 */
export class WriteQueue<S> {
  readonly #db: Kysely<S>;
  readonly #limits: GroupLimits;
  readonly #waiting: Piece<S>[] = [];
  /**
   * Adds a piece to the group that waits for the writers' lock; false if the group is full. Undefined while none waits.
   */
  #join: ((piece: Piece<S>) => boolean) | undefined;
  #isWorking = false;
  #working = Promise.resolve();

  constructor(db: Kysely<S>, limits = LIMITS) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Runs `work` in the next transaction that has room. Resolves once that is synced to disk. */
  add<R>(work: Work<S, Promise<R>>, prefetch?: Piece<S>['prefetch']): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const run: Piece<S>['run'] = async (tx, unit) => {
        const result = await work(tx, unit);
        return () => {
          resolve(result);
        };
      };
      const piece = { run, prefetch, reject };
      if (this.#join?.(piece) === true) return;
      this.#waiting.push(piece);
      if (!this.#isWorking) this.#working = this.#work();
    });
  }

  /** Resolves once the queue is empty. */
  idle(): Promise<void> {
    return this.#working;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    const adapter = unitAdapterOf(this.#db);
    while (this.#waiting.length > 0) await (adapter === undefined ? this.#commitGroup() : this.#commitUnit(adapter));
    this.#isWorking = false;
  }

  /**
   * Commits a group as one unit of work. If that fails, and not because the server went away, repeats each piece in a
   * transaction of its own: statements are not waited for, so it is unknown whose failed, and savepoints would cost
   * more than the rare repetition. Never throws: errors go to the callers.
   */
  async #commitUnit(adapter: UnitAdapter): Promise<void> {
    const group = this.#waiting.splice(0, this.#limits.pieces);
    const error = await this.#tryUnit(adapter, group, true);
    if (error === undefined) return;
    if (group.length === 1 || error instanceof LedgerAway || error instanceof CommitUnknown) {
      for (const { reject } of group) reject(error);
      return;
    }
    for (const piece of group) {
      const itsError = await this.#tryUnit(adapter, [piece], false);
      if (itsError !== undefined) piece.reject(itsError);
    }
  }

  /** Runs the pieces and, once they are committed, resolves their callers. Returns the error if they were not. */
  async #tryUnit(adapter: UnitAdapter, group: Piece<S>[], mayGrow: boolean): Promise<unknown> {
    try {
      const resolvers = await adapter.outage.repeat(() =>
        this.#db.transaction().execute(async (tx) => {
          const unit = adapter.beginUnit();
          await this.#gather(group, mayGrow ? this.#limits.pieces : 1, tx, unit);
          const resolvers: (() => void)[] = [];
          for (const piece of group) resolvers.push(await piece.run(tx, unit));
          return resolvers;
        }),
      );
      for (const resolve of resolvers) resolve();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /**
   * Starts all prefetches of the pieces together. Until the transaction has the writers' lock, new pieces join the
   * group: the longer the wait, the more pieces share a commit. Later pieces could not prefetch, and go into the next
   * group.
   */
  async #gather(group: Piece<S>[], max: number, tx: Transaction<S>, unit: UnitOfWork): Promise<void> {
    const join = (piece: Piece<S>): boolean => {
      if (group.length >= max) return false;
      group.push(piece);
      prefetch(piece);
      return true;
    };
    const prefetch = (piece: Piece<S>): void => {
      // A read that fails here fails again in the piece's work, which throws.
      for (const read of piece.prefetch?.(tx, unit) ?? []) read.catch(() => undefined);
    };
    unit.collectReads(() => {
      group.forEach(prefetch);
      // If the group is repeated after an outage, pieces have come meanwhile.
      while (this.#waiting[0] !== undefined && join(this.#waiting[0])) this.#waiting.shift();
    });
    this.#join = join;
    try {
      await unit.begun;
    } finally {
      this.#join = undefined;
    }
  }

  /**
   * Commits a group on a database in a file: each piece but the first runs behind a savepoint. Never throws: errors go
   * to the callers.
   */
  async #commitGroup(): Promise<void> {
    const group: Piece<S>[] = [];
    const resolvers: (() => void)[] = [];
    try {
      await this.#db.transaction().execute(async (tx) => {
        const { pieces, ms } = this.#limits;
        const endAt = performance.now() + ms;
        // Work that arrives while the transaction begins or runs can still join it.
        while (group.length < pieces && (group.length === 0 || performance.now() < endAt)) {
          const piece = this.#waiting.shift();
          if (piece === undefined) return;
          group.push(piece);
          // The first piece is still alone: if it throws, the whole transaction is rolled back.
          resolvers.push(await (group.length === 1 ? piece.run(tx, undefined) : runAlone(tx, piece)));
        }
      });
    } catch (error) {
      // If the transaction never began, the group is empty, and all waiting callers have waited for it.
      const failed = group.length === 0 ? this.#waiting.splice(0) : group;
      for (const { reject } of failed) reject(error);
      return;
    }
    for (const resolve of resolvers) resolve();
  }
}

/**
 * Runs a piece behind a savepoint. Returns the function that settles its caller's promise after the commit. Throws only
 * if the whole transaction is lost.
 */
async function runAlone<S>(tx: Transaction<S>, piece: Piece<S>): Promise<() => void> {
  await execute(tx, SAVEPOINT, []);
  try {
    const resolve = await piece.run(tx, undefined);
    await execute(tx, RELEASE, []);
    return resolve;
  } catch (error) {
    try {
      await execute(tx, ROLL_BACK, []);
      await execute(tx, RELEASE, []);
    } catch {
      // The database gave up the whole transaction by itself (a full disk, say). The first error is its reason.
      throw error;
    }
    return () => {
      piece.reject(error);
    };
  }
}
