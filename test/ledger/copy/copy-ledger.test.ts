import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql, type Insertable } from 'kysely';
import { copyLedger } from '../../../ledger/copy/copy-ledger.ts';
import type { CopyMoment, CopySide } from '../../../ledger/copy/copy-side.ts';
import { readLedgerFacts } from '../../../ledger/copy/read-only.ts';
import { compareTallies, countAgain, readRecorded } from '../../../ledger/copy/tally.ts';
import { LedgerInUse, LedgerReadOnly } from '../../../ledger/errors.ts';
import { createLedger } from '../../../ledger/ledger.ts';
import { MIGRATION_TABLE } from '../../../ledger/migrate.ts';
import { TABLES, type Schema } from '../../../ledger/schema.ts';
import { aBatch, aKey, aRow, fill, INTENT } from '../setup.ts';
import { fillEveryTable } from './every-table.ts';
import { newAddress, openAt, PAIRS } from './sides.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

/** In order. */
const MOMENTS: readonly CopyMoment[] = ['filling', 'filled', 'marking', 'moved', 'opened'];

describe.each(PAIRS)('a copy from %s to %s', (fromKind, toKind) => {
  let folder: string;
  let from: CopySide;
  let to: CopySide;

  beforeEach(async () => {
    folder = freshFolder();
    from = await openAt(newAddress(fromKind, folder));
    to = await openAt(newAddress(toKind, folder));
  });

  /** A copy that ends like a killed process at this moment: what is not committed is rolled back. */
  async function dieAt(moment: CopyMoment, into = to): Promise<void> {
    const atMoment = (now: CopyMoment): void => {
      if (now === moment) throw new Error(`died at ${now}`);
    };
    await expect(copyLedger({ from, to: into, atMoment })).rejects.toThrow(`died at ${moment}`);
  }

  it('has every line of every table, with the id of the ledger, and says how many', async () => {
    await fillEveryTable(from.database.db);
    const expected = await linesOf(from);
    const copied = await copyLedger({ from, to });
    expect(await linesOf(to)).toEqual(expected);
    expect(copied).toMatchObject({ type: 'copied', lines: { batches: 2, rows: 2, charges: 2, sums: 2, actions: 2 } });
    expect((await readLedgerFacts(to.database.db)).id).toBe(from.database.id);
  });

  it('copies more lines than fit into memory at once, and says how far it is', async () => {
    await fill(createLedger(from.database), 1_201);
    const told: string[] = [];
    await copyLedger({ from, to, onProgress: ({ type, lines }) => told.push(`${type} ${lines}`) });
    expect(await createLedger(to.database).counts('b')).toMatchObject({ states: { waiting: 1_201 } });
    expect(told).toEqual(expect.arrayContaining(['copying 503', 'copying 1003']));
    expect(told.at(-1)).toMatch(/^comparing 12\d\d$/);
  });

  it('is worked on as the ledger was: sums and numbers go on from where they were', async () => {
    const before = createLedger(from.database);
    await fill(before, 3);
    await before.intend(aKey(1), INTENT);
    await before.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    await before.intend(aKey(2), INTENT);
    await from.database.db.insertInto('allowed_firings').values([firing(), firing()]).execute();
    await from.database.db.deleteFrom('allowed_firings').execute();
    await copyLedger({ from, to });
    const after = createLedger(to.database);
    const failure = { class: 'BadRequest', message: 'no' } as const;
    await after.settle(aKey(2), { verdict: 'rejected', failure }, { outcome: 'failed', failure });
    const loading = await after.createBatch(aBatch('c'));
    await after.addRows(loading, [aRow(1)]);
    await after.openBatch(loading, 1);
    expect(await after.money('b')).toMatchObject({ charged: 2.5, reserved: 0 });
    expect(await after.counts('b')).toMatchObject({ outcomes: { failed: 1 } });
    const { db } = to.database;
    expect(compareTallies(await countAgain(db), await readRecorded(db), true)).toEqual([]);
    await db.insertInto('allowed_firings').values(firing()).execute();
    expect(await db.selectFrom('allowed_firings').select('id').execute()).toEqual([{ id: 3 }]);
  });

  it('leaves a ledger that can be read, and takes no write of anybody, however he has opened it', async () => {
    const before = createLedger(from.database);
    await fill(before, 2);
    await copyLedger({ from, to });
    const moved = expect.objectContaining({
      name: 'LedgerReadOnly',
      why: expect.objectContaining({ type: 'moved', place: to.database.place }),
    });
    await expect(before.intend(aKey(1), INTENT)).rejects.toEqual(moved);
    await expect(before.setControl('b', 'paused')).rejects.toEqual(moved);
    await expect(before.acquireLane({ batch: 'b', lane: 1, run: 'r', owner: 'w' })).rejects.toBeInstanceOf(
      LedgerReadOnly,
    );
    await expect(before.beat({ owner: 'w', apiUrl: 'http://h', account: 'a' })).rejects.toBeInstanceOf(LedgerReadOnly);
    expect(await before.counts('b')).toMatchObject({ states: { waiting: 2 } });
    expect(before.readOnly).toBeUndefined();
    expect((await openAt(from.database.place)).database.readOnly).toMatchObject({
      type: 'moved',
      place: to.database.place,
    });
    expect(await before.schemaDifferences()).toEqual([]);
    expect(await createLedger(to.database).schemaDifferences()).toEqual([]);
  });

  it('leaves a ledger that also a later version can read, and takes no write into what that adds', async () => {
    await fill(createLedger(from.database), 2);
    await copyLedger({ from, to });
    await makeOlder(from);
    const { database } = await openAt(from.database.place);
    const later = createLedger(database);
    expect(await later.counts('b')).toMatchObject({ states: { waiting: 2 } });
    expect(await database.db.selectFrom('worker_duties').selectAll().execute()).toEqual([]);
    expect(later.readOnly).toMatchObject({ type: 'moved', place: to.database.place });
    expect(await later.schemaDifferences()).toEqual([]);
    expect(await canWrite(from)).toBe(false);
    const write = database.db.insertInto('worker_duties').values({ owner: 'w', duty: 'submit' });
    await expect(write.execute()).rejects.toBeInstanceOf(LedgerReadOnly);
  });

  it('that died is ended by a later version', async () => {
    await fill(createLedger(from.database), 2);
    await dieAt('moved');
    for (const side of [from, to]) await makeOlder(side);
    const [later, into] = [await openAt(from.database.place), await openAt(to.database.place)];
    expect(await copyLedger({ from: later, to: into })).toMatchObject({ type: 'completed' });
    expect([await canWrite(later), await canWrite(into)]).toEqual([false, true]);
  });

  it.each(MOMENTS)(
    'that dies at "%s" leaves at most one side that can be written to; the same call ends it',
    async (moment) => {
      await fill(createLedger(from.database), 2);
      await dieAt(moment);
      const isMoved = MOMENTS.indexOf(moment) >= MOMENTS.indexOf('moved');
      const writable = [await canWrite(from), await canWrite(to)];
      // Before it is filled, TO is a ledger without the batch.
      expect(writable).toEqual([!isMoved, moment === 'filling' || moment === 'opened']);
      // FROM goes on meanwhile, if it has not moved.
      if (!isMoved) await createLedger(from.database).setControl('b', 'paused');
      const type = { moved: 'completed', opened: 'already' }[moment as string] ?? 'copied';
      expect(await copyLedger({ from, to })).toMatchObject({ type });
      expect(await createLedger(to.database).findBatch('b')).toMatchObject({ control: isMoved ? 'running' : 'paused' });
      expect([await canWrite(from), await canWrite(to)]).toEqual([false, true]);
      expect(await copyLedger({ from, to })).toEqual({ type: 'already' });
    },
  );

  it('that does not add up moves nothing, and names each difference', async () => {
    await fill(createLedger(from.database), 2);
    await from.database.db.updateTable('sums').set({ charged: 7.5 }).execute();
    await from.database.db.updateTable('row_counts').set({ n: 3 }).execute();
    await expect(copyLedger({ from, to })).rejects.toMatchObject({
      differences: [
        { batch: 'b', what: 'rows waiting', expected: 2, got: 3 },
        { batch: 'b', what: 'charged', expected: 0, got: 7.5 },
      ],
    });
    expect(await createLedger(to.database).listBatches()).toEqual([]);
    expect([await canWrite(from), await canWrite(to)]).toEqual([true, true]);
  });

  it('is refused while workers have one of the two', async () => {
    for (const side of [from, to]) {
      const unlock = await side.database.locks.lockForWorkers('s1');
      await expect(copyLedger({ from, to })).rejects.toEqual(
        expect.objectContaining({ name: LedgerInUse.name, holder: 's1', path: side.database.place }),
      );
      unlock();
    }
    // Those who want it meanwhile wait, and find it moved.
    let waiting: Promise<unknown> | undefined;
    const atMoment = async (now: CopyMoment): Promise<void> => {
      if (now !== 'filled') return;
      waiting = from.database.locks.lockForWorkers('s1').then((unlock) => {
        unlock();
      });
      expect(await from.database.locks.isWorkedOn()).toBe(true);
    };
    await copyLedger({ from, to, atMoment });
    // One that has to note its server finds it moved at once; any, with its first write.
    const found = await waiting?.catch((error: unknown) => error);
    if (found !== undefined) expect(found).toBeInstanceOf(LedgerReadOnly);
    expect(await canWrite(from)).toBe(false);
  });

  it('is refused into a ledger with records, out of an unfinished one, and to a second place', async () => {
    await fill(createLedger(from.database), 1);
    const other = await openAt(newAddress(toKind, folder));
    await createLedger(other.database).createBatch(aBatch('x'));
    await expect(copyLedger({ from, to: other })).rejects.toMatchObject({
      refusal: { why: 'not-empty', table: 'batches' },
    });
    // Also while workers have it: nobody ends them for nothing.
    const unlock = await other.database.locks.lockForWorkers('s1');
    await expect(copyLedger({ from, to: other })).rejects.toMatchObject({ refusal: { why: 'not-empty' } });
    unlock();
    await dieAt('filled');
    const third = await openAt(newAddress(toKind, folder));
    await expect(copyLedger({ from: to, to: third })).rejects.toMatchObject({ refusal: { why: 'from-incoming' } });
    await expect(copyLedger({ from: other, to })).rejects.toMatchObject({ refusal: { why: 'to-incoming' } });
    await copyLedger({ from, to });
    await expect(copyLedger({ from, to: third })).rejects.toMatchObject({
      refusal: { why: 'moved-elsewhere', to: to.database.place },
    });
    await expect(copyLedger({ from: third, to: from })).rejects.toMatchObject({ refusal: { why: 'to-moved' } });
    await expect(copyLedger({ from: to, to: await openAt(other.database.place) })).rejects.toMatchObject({
      refusal: { why: 'not-empty' },
    });
    // And on, to a new place.
    expect(await copyLedger({ from: to, to: third })).toMatchObject({ type: 'copied' });
  });

  it('is refused where a newer version may have tables that it does not know', async () => {
    const versions = from.versions.slice(0, 1);
    await expect(copyLedger({ from: { ...from, versions }, to })).rejects.toMatchObject({ name: 'LedgerTooNew' });
  });
});

function firing(): Insertable<Schema['allowed_firings']> {
  return { schedule: 's', kind: 'trigger', from_at: 1, until_at: null, spec: null, at: null, voided_at: null };
}

/** Takes from a ledger what versions 0.3 to 0.6 have added. */
async function makeOlder({ database: { db } }: CopySide): Promise<void> {
  for (const table of ['job_hints', 'worker_duties']) await sql`drop table ${sql.table(table)}`.execute(db);
  await sql`delete from ${sql.table(MIGRATION_TABLE)} where name > '0.2'`.execute(db);
}

/** Whether a process that opens it now may write. */
async function canWrite({ database: { db } }: CopySide): Promise<boolean> {
  try {
    await db.insertInto('limiters').values({ scope: 'probe', state: '{}' }).execute();
    await db.deleteFrom('limiters').execute();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(LedgerReadOnly);
    return false;
  }
}

/** All lines of a ledger but the facts about its place. */
async function linesOf({ database: { db } }: CopySide): Promise<Readonly<Record<string, unknown>>> {
  const all: Record<string, unknown> = {};
  for (const [name, { key }] of Object.entries(TABLES)) {
    let query = db.selectFrom(name as keyof Schema).selectAll();
    for (const column of key) query = query.orderBy(column as never);
    const lines = await query.execute();
    const isOfPlace = (line: object): boolean =>
      'value' in line && /^\{|^0\./.test(String(line.value)) && name === 'facts';
    all[name] = lines.filter((line) => !isOfPlace(line));
  }
  return all;
}
