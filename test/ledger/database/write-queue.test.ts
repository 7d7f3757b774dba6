import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Kysely, sql, type Dialect, type Driver } from 'kysely';
import Database from 'libsql';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DirectAdapter } from '../../../ledger/database/prepared.ts';
import { LedgerUnreachable } from '../../../ledger/errors.ts';
import { openSqlite } from '../../../ledger/sqlite/dialect.ts';
import { WriteQueue } from '../../../ledger/database/transactions.ts';
import { scaleRuns } from '../../support/property-runs.ts';
import { upTo } from '../setup.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

interface Tables {
  notes: { n: number; text: string };
}

/** How the next transactions begin and commit; `ok` when the list is at its end. */
interface Faults {
  begins: ('ok' | 'fail')[];
  commits: ('ok' | 'fail')[];
}

let path: string;
let db: Kysely<Tables>;
let faults: Faults;
let commits: number;
/** Savepoints that were made. */
let savepoints: number;

/** A dialect whose transactions fail when told so, as they do on a full disk: nothing of them is kept. */
function faulty(dialect: Dialect): Dialect {
  const makeDriver = (): Driver => {
    const driver = dialect.createDriver();
    const begin = driver.beginTransaction.bind(driver);
    const commit = driver.commitTransaction.bind(driver);
    driver.beginTransaction = async (connection, settings) => {
      if (faults.begins.shift() === 'fail') throw new LedgerUnreachable(path, 'no begin', '');
      await begin(connection, settings);
    };
    driver.commitTransaction = async (connection) => {
      if (faults.commits.shift() === 'fail') throw new LedgerUnreachable(path, 'the disk is full', '');
      await commit(connection);
      commits += 1;
    };
    return driver;
  };
  const makeAdapter = (): DirectAdapter => {
    const adapter = dialect.createAdapter() as DirectAdapter;
    const executeNow = adapter.executeNow.bind(adapter);
    adapter.executeNow = (statement, parameters, most) => {
      if (statement.startsWith('savepoint')) savepoints += 1;
      return executeNow(statement, parameters, most);
    };
    return adapter;
  };
  return {
    createDriver: makeDriver,
    createAdapter: makeAdapter,
    createIntrospector: (database) => dialect.createIntrospector(database),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

beforeEach(async () => {
  path = join(freshFolder(), 'queue.db');
  faults = { begins: [], commits: [] };
  commits = 0;
  savepoints = 0;
  const opened = new Kysely<Tables>({ dialect: faulty(await openSqlite(path)) });
  endAfterTest(() => opened.destroy());
  db = opened;
  await db.schema
    .createTable('notes')
    .addColumn('n', 'integer', (c) => c.primaryKey())
    .addColumn('text', 'text')
    .execute();
});

/** What is on disk, as another process sees it. */
function onDisk(): readonly number[] {
  const other = new Database(path);
  try {
    return other.prepare('select n from notes order by n').pluck().all([]) as number[];
  } finally {
    other.close();
  }
}

function note(queue: WriteQueue<Tables>, n: number, text = ''): Promise<number> {
  return queue.add(async (tx) => {
    await tx.insertInto('notes').values({ n, text }).execute();
    return n;
  });
}

/** Writes and then changes its mind. */
function noteAndThrow(queue: WriteQueue<Tables>, n: number): Promise<never> {
  return queue.add(async (tx) => {
    await tx.insertInto('notes').values({ n, text: '' }).execute();
    throw new Error(`no ${n}`);
  });
}

const queueOf = (pieces: number, ms = Infinity): WriteQueue<Tables> => new WriteQueue(db, { pieces, ms });

describe('a queue of writes', () => {
  it('commits once what is wanted at the same moment, and begins no transaction that has nothing to do', async () => {
    const queue = queueOf(20);
    expect(await Promise.all(upTo(20).map((n) => note(queue, n)))).toEqual(upTo(20));
    await queue.idle();
    expect(commits).toBe(1);
  });

  it('is idle once all that was wanted is on disk', async () => {
    const queue = queueOf(1);
    for (const n of [1, 2, 3]) void note(queue, n);
    await queue.idle();
    expect(onDisk()).toEqual([1, 2, 3]);
    await queue.idle();
  });

  it('makes a savepoint for each piece but the first, which has the transaction to itself', async () => {
    const queue = queueOf(20);
    await note(queue, 1);
    expect(savepoints).toBe(0);
    await Promise.all([2, 3, 4].map((n) => note(queue, n)));
    expect(savepoints).toBe(2);
  });

  it('takes no more into one transaction than it says', async () => {
    const queue = queueOf(7);
    const sizes: number[] = [];
    const count = async (): Promise<void> => {
      sizes[commits] = (sizes[commits] ?? 0) + 1;
    };
    await Promise.all(upTo(21).map(() => queue.add(count)));
    expect([sizes, commits]).toEqual([[7, 7, 7], 3]);
  });

  it('lets others have the lock once a transaction has worked for long', async () => {
    const queue = queueOf(20, 0);
    await Promise.all([1, 2, 3].map((n) => note(queue, n)));
    expect(commits).toBe(3);
  });

  it('shows each piece what those before it wrote', async () => {
    const queue = queueOf(20);
    void note(queue, 1);
    expect(await queue.add((tx) => tx.selectFrom('notes').select('n').execute())).toEqual([{ n: 1 }]);
    expect(commits).toBe(1);
  });

  it('takes back a piece that throws, and only that one', async () => {
    const queue = queueOf(20);
    const before = note(queue, 1);
    const thrower = noteAndThrow(queue, 2);
    const twice = note(queue, 1);
    const after = note(queue, 2);
    await expect(thrower).rejects.toThrow('no 2');
    await expect(twice).rejects.toMatchObject({ name: 'DuplicateKey' });
    expect([await before, await after]).toEqual([1, 2]);
    expect(onDisk()).toEqual([1, 2]);
    expect(commits).toBe(1);
  });

  it('tells everybody of a transaction that could not begin, and goes on', async () => {
    faults.begins = ['fail'];
    const queue = new WriteQueue(db);
    const lost = await Promise.allSettled([note(queue, 1), note(queue, 2)]);
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await note(queue, 1)).toBe(1);
    expect(onDisk()).toEqual([1]);
  });

  it('tells everybody in a transaction that the disk has no room for, and keeps nothing of it', async () => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + 1}`).execute(db);
    const queue = new WriteQueue(db);
    const told = await Promise.allSettled([note(queue, 1), note(queue, 2, 'x'.repeat(1_000_000)), note(queue, 3)]);
    const kept = told.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(told[1]).toMatchObject({ status: 'rejected' });
    expect(onDisk()).toEqual(kept);
  });

  it('never says that something is written which is not, whatever fails', async () => {
    const does = fc.constantFrom(...(['write', 'write', 'write', 'write', 'throw', 'repeat'] as const));
    const piece = fc.record({ does, waitsBefore: fc.boolean() });
    const fault = fc.constantFrom(...(['ok', 'ok', 'ok', 'fail'] as const));
    const faultsOf = fc.record({
      begins: fc.array(fault, { maxLength: 5 }),
      commits: fc.array(fault, { maxLength: 5 }),
    });
    const pieces = fc.array(piece, { minLength: 1, maxLength: 30 });
    let n = 0;
    const property = fc.asyncProperty(pieces, faultsOf, async (wanted, found) => {
      faults = { begins: [...found.begins], commits: [...found.commits] };
      const queue = new WriteQueue(db);
      const before = onDisk();
      const told: number[] = [];
      const asked = [];
      for (const { does, waitsBefore } of wanted) {
        if (waitsBefore) await nextTurn();
        const key = does === 'repeat' ? n : (n += 1);
        const answer = does === 'throw' ? noteAndThrow(queue, key) : note(queue, key);
        const noted = answer.then((written) => {
          // At the very moment of the answer it is there for everybody.
          expect(onDisk()).toContain(written);
          told.push(written);
        });
        asked.push(noted.catch((error: unknown) => (error instanceof Error ? error.message : 'no error')));
      }
      for (const outcome of await Promise.all(asked))
        if (outcome !== undefined) expect(outcome).toMatch(/no begin|disk is full|no \d+|UNIQUE/);
      expect(onDisk()).toEqual([...new Set([...before, ...told])].sort((a, b) => a - b));
      expect(new Set(told).size).toBe(told.length);
    });
    await fc.assert(property, { numRuns: scaleRuns(60) });
  });
});
