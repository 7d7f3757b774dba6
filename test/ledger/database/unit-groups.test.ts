import { beforeEach, describe, expect, it } from '@jest/globals';
import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler, SqliteIntrospector, type Dialect } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Outage } from '../../../store/outage.ts';
import { WriteQueue } from '../../../ledger/database/transactions.ts';
import type { UnitAdapter } from '../../../ledger/database/unit-adapter.ts';
import { UnitOfWork, type UnitConnection } from '../../../ledger/database/unit-of-work.ts';
import { LedgerAway } from '../../../ledger/errors.ts';

/** A transaction that has begun, and waits for the writers before it. */
interface Turn {
  readonly come: () => void;
  readonly fail: (error: Error) => void;
}

let turns: Turn[];
/** What was asked for ahead, by the transactions that asked, and what each has committed. */
let asked: string[][];
let committed: string[][];
let doing: string[];
let queue: WriteQueue<object>;

const SILENT: UnitConnection = {
  query: () => Promise.resolve([]),
  send: () => undefined,
};

class Adapter extends PostgresAdapter implements UnitAdapter {
  readonly outage = new Outage(Infinity, (error) =>
    error instanceof LedgerAway ? { problem: error.message } : undefined,
  );

  stopWaiting(): void {
    this.outage.limit(0);
  }

  withMemory<Ledger>(ledger: Ledger): Ledger {
    return ledger;
  }

  afterLoading(): Promise<void> {
    return Promise.resolve();
  }

  beginUnit(): UnitOfWork {
    asked.push([]);
    doing = [];
    return new UnitOfWork(
      SILENT,
      new Promise((come, fail) => {
        turns.push({ come, fail });
      }),
    );
  }
}

class CountingDriver extends DummyDriver {
  override commitTransaction(): Promise<void> {
    committed.push(doing);
    return Promise.resolve();
  }
}

beforeEach(() => {
  [turns, asked, committed, doing] = [[], [], [], []];
  const dialect: Dialect = {
    createAdapter: () => new Adapter(),
    createDriver: () => new CountingDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  queue = new WriteQueue<object>(new Kysely<object>({ dialect }), { pieces: 3, ms: 10 });
});

/** Adds a piece of this name, which fails if it is to. */
function add(name: string, error?: Error): Promise<string> {
  return queue.add(
    () => {
      if (error !== undefined) return Promise.reject(error);
      doing.push(name);
      return Promise.resolve(name);
    },
    () => {
      asked.at(-1)?.push(name);
      return [];
    },
  );
}

/** Waits until so many transactions have begun. */
async function untilBegun(transactions: number): Promise<Turn> {
  while (turns.length < transactions) await nextTurn();
  const turn = turns[transactions - 1];
  if (turn === undefined) throw new Error('There is no such transaction.');
  return turn;
}

describe('a group of writes on a database over the network', () => {
  it('takes in what comes while it waits for the writers of other processes, and no more after that', async () => {
    const first = add('first');
    const turn = await untilBegun(1);
    const second = add('second');
    expect(asked).toEqual([['first', 'second']]);
    turn.come();
    await Promise.all([first, second]);
    const third = add('third');
    (await untilBegun(2)).come();
    await third;
    expect(committed).toEqual([['first', 'second'], ['third']]);
  });

  it('takes no more than a group may have: the rest is the next group, in order', async () => {
    const all = [add('1')];
    const turn = await untilBegun(1);
    for (const name of ['2', '3', '4', '5']) all.push(add(name));
    turn.come();
    (await untilBegun(2)).come();
    expect(await Promise.all(all)).toEqual(['1', '2', '3', '4', '5']);
    expect(committed).toEqual([
      ['1', '2', '3'],
      ['4', '5'],
    ]);
  });

  it('keeps those who joined when the database goes away, and asks anew for all of them', async () => {
    const first = add('first');
    const turn = await untilBegun(1);
    const second = add('second');
    turn.fail(new LedgerAway('the ledger', 'it is away', ''));
    (await untilBegun(2)).come();
    expect(await Promise.all([first, second])).toEqual(['first', 'second']);
    expect({ asked, committed }).toEqual({
      asked: [
        ['first', 'second'],
        ['first', 'second'],
      ],
      committed: [['first', 'second']],
    });
  });

  it('repeats each alone when a group fails, and lets nobody join one that is alone', async () => {
    const first = add('first');
    const turn = await untilBegun(1);
    const second = add('second');
    turn.fail(new Error('a statement that nobody waited for'));
    const alone = await untilBegun(2);
    const refused = expect(second).rejects.toThrow('its own');
    const third = add('third');
    alone.come();
    (await untilBegun(3)).fail(new Error('its own'));
    (await untilBegun(4)).come();
    await refused;
    expect(await Promise.all([first, third])).toEqual(['first', 'third']);
    expect(committed).toEqual([['first'], ['third']]);
  });

  it('answers each of a group for itself: one that throws fails alone', async () => {
    const first = add('first');
    const turn = await untilBegun(1);
    const second = add('second', new Error('refused'));
    const refused = expect(second).rejects.toThrow('refused');
    turn.come();
    // Nothing of the group is kept; each has a transaction of its own.
    (await untilBegun(2)).come();
    (await untilBegun(3)).come();
    await refused;
    await expect(first).resolves.toBe('first');
    expect(committed).toEqual([['first']]);
  });
});
