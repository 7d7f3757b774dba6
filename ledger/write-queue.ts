import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import { execute } from './direct.ts';

/** How much one transaction takes: other processes wait for the lock that it holds. */
export interface GroupLimits {
  /** Pieces of work, at most. */
  readonly pieces: number;
  /** Time at work after which no more pieces are taken, ms. */
  readonly ms: number;
}

const LIMITS: GroupLimits = { pieces: 64, ms: 10 };

const SAVEPOINT = CompiledQuery.raw('savepoint piece');
const RELEASE = CompiledQuery.raw('release savepoint piece');
const ROLL_BACK = CompiledQuery.raw('rollback to savepoint piece');

type Work<S, R> = (tx: Transaction<S>) => Promise<R>;

/** One piece of work and the promise of whoever asked for it. */
interface Piece<S> {
  readonly run: (tx: Transaction<S>) => Promise<() => void>;
  readonly reject: (reason: unknown) => void;
}

/**
 * Writes that are wanted at the same moment share one transaction and its sync to disk, which costs more than all the rest.
 *
 * Each piece but the first runs behind a savepoint: one that throws is rolled back alone, and only its caller learns of it. Nobody is told of a
 * success before the commit returned. If the transaction cannot begin or commit, everybody in it is told, and nothing of it is kept.
 */
export class WriteQueue<S> {
  readonly #db: Kysely<S>;
  readonly #limits: GroupLimits;
  readonly #waiting: Piece<S>[] = [];
  #isWorking = false;
  #working = Promise.resolve();

  constructor(db: Kysely<S>, limits = LIMITS) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Runs `work` in the next transaction that has room. Resolves once that is synced to disk. */
  add<R>(work: Work<S, R>): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const run = async (tx: Transaction<S>): Promise<() => void> => {
        const result = await work(tx);
        return () => {
          resolve(result);
        };
      };
      this.#waiting.push({ run, reject });
      if (!this.#isWorking) this.#working = this.#work();
    });
  }

  /** Resolves once nothing is wanted any more. */
  idle(): Promise<void> {
    return this.#working;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) await this.#commitGroup();
    this.#isWorking = false;
  }

  /** Never throws: what goes wrong goes to those who asked. */
  async #commitGroup(): Promise<void> {
    const group: Piece<S>[] = [];
    const tellers: (() => void)[] = [];
    try {
      await this.#db.transaction().execute(async (tx) => {
        const { pieces, ms } = this.#limits;
        const endAt = performance.now() + ms;
        // What comes while the transaction begins, or while it works, still finds a place in it.
        while (group.length < pieces && (group.length === 0 || performance.now() < endAt)) {
          const piece = this.#waiting.shift();
          if (piece === undefined) return;
          group.push(piece);
          // The first is alone so far: where it throws, the whole transaction is rolled back for it.
          tellers.push(await (group.length === 1 ? piece.run(tx) : runAlone(tx, piece)));
        }
      });
    } catch (error) {
      // Without a beginning the group is empty, and all who wait have waited for it.
      const failed = group.length === 0 ? this.#waiting.splice(0) : group;
      for (const { reject } of failed) reject(error);
      return;
    }
    for (const tell of tellers) tell();
  }
}

/** Runs the piece behind a savepoint. Returns what to tell its caller after the commit; throws only if nothing can be saved any more. */
async function runAlone<S>(tx: Transaction<S>, piece: Piece<S>): Promise<() => void> {
  await execute(tx, SAVEPOINT, []);
  try {
    const tell = await piece.run(tx);
    await execute(tx, RELEASE, []);
    return tell;
  } catch (error) {
    try {
      await execute(tx, ROLL_BACK, []);
      await execute(tx, RELEASE, []);
    } catch {
      // The database gave up the whole transaction by itself (a full disk, say). Its reason is the first error.
      throw error;
    }
    return () => {
      piece.reject(error);
    };
  }
}
