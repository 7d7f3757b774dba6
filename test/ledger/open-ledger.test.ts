import { describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { statSync } from 'node:fs';
import { chmod, copyFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { LedgerMissing, LedgerTooNew, LedgerUnreachable } from '../../ledger/errors.ts';
import { MIGRATION_TABLE } from '../../ledger/migrate.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { ANN } from '../support/ann.ts';
import { aBatch, DROP_LATER_TABLES, fill, open } from './setup.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();

describe('openLedger', () => {
  it('makes the folder and the ledger, and finds the same again by path and by URL', async () => {
    const path = folder('a', 'b', 'ledger.db');
    const made = await openLedger(path);
    await made.close();
    for (const url of [path, `file:${path}`, pathToFileURL(path).href, `sqlite://${path}`]) {
      const again = await openLedger(url, { mustExist: true });
      expect(again.id).toBe(made.id);
      await again.close();
    }
  });

  it('is whole in its one file once it is closed', async () => {
    const made = await open(folder());
    await fill(made, 3);
    await made.close();
    await copyFile(folder('ledger.db'), folder('copy.db'));
    const ledger = await openLedger(folder('copy.db'), { mustExist: true });
    expect(await ledger.counts('b')).toMatchObject({ total: 3 });
    await ledger.close();
  });

  it('makes one ledger when many open it at once', async () => {
    const ledgers = await Promise.all([1, 2, 3, 4].map(() => open(folder())));
    expect(new Set(ledgers.map(({ id }) => id)).size).toBe(1);
    await Promise.all(ledgers.map((ledger) => ledger.close()));
  });

  it('makes none for a command that only looks', async () => {
    const path = folder('none', 'ledger.db');
    await expect(openLedger(path, { mustExist: true })).rejects.toThrow(LedgerMissing);
    expect(await readdir(folder())).toEqual([]);
  });

  it('refuses a ledger of a newer version and leaves it alone', async () => {
    await (await open(folder())).close();
    const path = folder('ledger.db');
    const raw = new Database(path);
    raw.prepare(`insert into ${MIGRATION_TABLE} values ('9999-later', '')`).run();
    raw.close();
    await expect(openLedger(path)).rejects.toThrow(LedgerTooNew);
    await expect(openLedger(path, { mustExist: true })).rejects.toThrow('9999-later');
  });

  it('works on one that a newer version has only added to, and refuses one that it has changed', async () => {
    await (await open(folder())).close();
    const path = folder('ledger.db');
    const raw = new Database(path);
    raw.exec(`insert into ${MIGRATION_TABLE} values ('9.1', ''); create table later (a);
      insert into facts values ('oldest-for-9.1', '0.1')`);
    const ledger = await openLedger(path);
    const loading = await ledger.createBatch(aBatch());
    await ledger.openBatch(loading, 0, ANN);
    expect(await ledger.actionsOf({ batch: 'b' })).toHaveLength(1);
    await ledger.close();
    raw.exec(`insert into ${MIGRATION_TABLE} values ('9.2', ''); insert into facts values ('oldest-for-9.2', '9.2')`);
    raw.close();
    await expect(openLedger(path)).rejects.toThrow('9.2');
  });

  it('adds to one of an earlier version what that does not have, while one of its programs works on it', async () => {
    const path = folder('ledger.db');
    await (await openLedger(path)).close();
    const raw = new Database(path);
    // As version 0.1 left it.
    raw.exec(
      `delete from ${MIGRATION_TABLE} where name <> '0.1'; ${DROP_LATER_TABLES}; delete from facts where name like 'oldest-for-%'`,
    );
    const ledgers = await Promise.all([openLedger(path), openLedger(path), openLedger(path)]);
    await ledgers[0].openBatch(await ledgers[0].createBatch(aBatch()), 0);
    expect(await ledgers[1].actionsOf({})).toMatchObject([{ kind: 'start', batch: 'b' }]);
    expect(raw.prepare('select name from batches').all([])).toEqual([{ name: 'b' }]);
    raw.close();
    for (const ledger of ledgers) await ledger.close();
    const again = await openLedger(path);
    expect(await again.schemaDifferences()).toEqual([]);
    await again.close();
  });

  it('says what is wrong with the database of another program, a file that is none, a folder, or an unknown kind of URL', async () => {
    const raw = new Database(folder('other.db'));
    raw.exec('create table theirs (a)');
    raw.close();
    await expect(openLedger(folder('other.db'))).rejects.toThrow('the database of another program');
    await writeFile(folder('junk.db'), 'no database at all. '.repeat(500));
    await expect(openLedger(folder('junk.db'))).rejects.toThrow('the file is not a database');
    for (const place of [folder(), folder('junk.db', 'x.db')])
      await expect(openLedger(place)).rejects.toThrow(LedgerUnreachable);
    await expect(openLedger('mysql://user:secret@host/db')).rejects.toThrow('a mysql: URL');
    const refusal = openLedger('postgres://user:secret@127.0.0.1:1/db?schema=mine&password=hidden');
    await expect(refusal).rejects.toThrow(
      'The ledger postgres://user@127.0.0.1:1/db?schema=mine cannot be used: the database server cannot be',
    );
    await expect(refusal).rejects.not.toThrow(/secret|hidden/);
  });
});

describe('a ledger in a folder that others may enter', () => {
  it('is for its owner alone, with its log, and so is one that was not', async () => {
    await chmod(folder(), 0o755);
    const path = folder('ledger.db');
    const modes = (): readonly number[] => ['', '-wal', '-shm'].map((suffix) => statSync(path + suffix).mode & 0o777);
    const ledger = await openLedger(path);
    expect(modes()).toEqual([0o600, 0o600, 0o600]);
    for (const suffix of ['', '-wal', '-shm']) await chmod(path + suffix, 0o644);
    const again = await openLedger(path, { mustExist: true });
    expect(modes()).toEqual([0o600, 0o600, 0o600]);
    await again.close();
    await ledger.close();
  });

  it('leaves what a link leads to as it is', async () => {
    const other = folder('app.sqlite');
    await writeFile(other, 'not a ledger', { mode: 0o644 });
    const path = folder('linked.db');
    await symlink(other, path);
    await expect(openLedger(path, { mustExist: true })).rejects.toThrow();
    expect(statSync(other).mode & 0o777).toBe(0o644);
  });
});
