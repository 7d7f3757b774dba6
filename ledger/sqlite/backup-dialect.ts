import Database from 'libsql';
import { rmSync } from 'node:fs';
import type { BackupDialect, BackupFacts, NamedFile } from '../backup/backup-dialect.ts';
import { factsAsJson, guardWords, type CopyFacts } from '../copy/read-only.ts';
import { MIGRATION_TABLE } from '../migrate.ts';
import type { ResultFile } from '../records.ts';
import type { TakeRecord } from '../takes/take-records.ts';
import { guards } from './copy-dialect.ts';
import { codeOf, explain } from './errors.ts';
import { copyWhole, syncPath } from './whole-copy.ts';

/** The operations for backing up a ledger in SQLite. */
export const sqliteBackup: BackupDialect = {
  snapshot: (place, into, facts) => {
    try {
      copyWhole(place, into);
      const contents = mark(into, facts);
      syncPath(into);
      return contents;
    } catch (error) {
      rmSync(into, { force: true });
      // A full disk is that of the copy; other errors are about the ledger.
      throw explain(/^SQLITE_(FULL|IOERR)/.test(codeOf(error)) ? into : place, error);
    }
  },
  filesIn,
};

/**
 * Marks the copy as a backup that nobody has accepted, and makes it read-only, in one transaction. Returns what it
 * contains.
 */
function mark(path: string, facts: CopyFacts): BackupFacts {
  const database = new Database(path);
  try {
    // Leaves a single file, without a log beside it.
    database.exec('pragma journal_mode = delete; pragma synchronous = full; begin immediate');
    database
      .prepare('insert into facts (name, value) values (?, ?) on conflict (name) do update set value = excluded.value')
      .run(['backup', factsAsJson(facts)]);
    for (const guard of guards(guardWords({ type: 'backup', ...facts }))) database.exec(guard);
    const contents = {
      ledger: String(one(database, "select value as one from facts where name = 'id'")),
      tables: all(database, `select name as one from ${MIGRATION_TABLE} order by name`),
      batches: Number(one(database, 'select count(*) as one from batches')),
      open: Number(one(database, "select count(*) as one from batches where state != 'closed'")),
      rows: Number(one(database, 'select coalesce(sum(rows), 0) as one from batches')),
    };
    database.exec('commit');
    return contents;
  } finally {
    if (database.inTransaction) database.exec('rollback');
    database.close();
  }
}

/** A line with a single column. */
interface One {
  readonly one: string | number;
}

/** Returns the only value of the first line. */
function one(database: Database.Database, query: string): string | number | undefined {
  return (database.prepare(query).get([]) as One | undefined)?.one;
}

/** Returns the only value of each line. */
function all(database: Database.Database, query: string): readonly string[] {
  return (database.prepare(query).all([]) as One[]).map((line) => String(line.one));
}

/** Queries for the JSON values that name files, and how to get the files from a parsed value. */
const NAMED: readonly (readonly [query: string, filesOf: (value: unknown) => readonly (ResultFile | null)[]])[] = [
  ['select file as one from charges where file is not null', (file) => [file as ResultFile]],
  ['select file as one from rows where file is not null', (file) => [file as ResultFile]],
  ['select extra_files as one from rows where extra_files is not null', (files) => files as readonly ResultFile[]],
  [
    'select before as one from takes',
    (before) => {
      const { file = null, extraFiles = [] } = before as Partial<TakeRecord['before']>;
      return [file, ...extraFiles];
    },
  ],
];

function* filesIn(snapshot: string): Generator<NamedFile, undefined> {
  const database = new Database(snapshot, { readonly: true });
  try {
    for (const [query, filesOf] of NAMED) {
      for (const line of database.prepare(query).iterate([]) as IterableIterator<One>) {
        for (const file of filesOf(JSON.parse(String(line.one))))
          if (file !== null && file.removedAt === undefined)
            yield { key: file.key, bytes: file.bytes, sha256: file.sha256 };
      }
    }
  } finally {
    database.close();
  }
}
