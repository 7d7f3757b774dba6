import Database from 'libsql';
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openRecords } from '../../../client/open-records.ts';
import {
  forgetLedger,
  isPlaceKnown,
  rememberLedger,
  requireKnownLedger,
  trustLedger,
  type LedgerSettings,
} from '../../../client/trust/known-ledgers.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

const folder = folderForEach();
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  env = { XDG_STATE_HOME: folder('state') };
});

const at = (place: string, isLedgerNamed = false): LedgerSettings => ({
  ledger: folder(place, 'ledger.db'),
  isLedgerNamed,
  env,
});

async function standing(settings: LedgerSettings): Promise<string> {
  const ledger = await openRecords(settings, {});
  try {
    return trustLedger(settings, ledger);
  } finally {
    await ledger.close();
  }
}

/** Takes back what a ledger of today says about itself, so that it is as one of an earlier version. */
function asOfEarlierVersion({ ledger }: LedgerSettings): void {
  const db = new Database(ledger);
  db.exec("delete from facts where name = 'recorded-outside'");
  db.close();
}

describe('a ledger', () => {
  it('is known to whoever made it, and the record of that is readable by its owner only', async () => {
    expect(isPlaceKnown(at('own'))).toBe(true);
    expect([await standing(at('own')), await standing(at('own'))]).toEqual(['known', 'known']);
    expect(isPlaceKnown(at('own'))).toBe(true);
    const records = folder('state', 'voxbatch', 'ledgers');
    expect(statSync(records).mode & 0o777).toBe(0o700);
    for (const name of await readdir(records)) expect(statSync(join(records, name)).mode & 0o777).toBe(0o600);
  });

  it('is known without its name if it was made by its name, as by a service; who names it needs no record', async () => {
    expect([await standing(at('own', true)), await standing(at('own'))]).toEqual(['known', 'known']);
    writeFileSync(folder('no-folder'), '');
    env = { XDG_STATE_HOME: folder('no-folder') };
    expect(await standing(at('named', true))).toBe('known');
    await expect(standing(at('unnamed'))).rejects.toThrow('cannot be written');
  });

  it('is known although its command was killed before anything was in it', async () => {
    mkdirSync(folder('own'));
    writeFileSync(at('own').ledger, '');
    rememberLedger(at('own'));
    expect(await standing(at('own'))).toBe('known');
  });

  it('that came with a folder is not, nor a copy of an own one with the same id, in its place or in another', async () => {
    await standing(at('own'));
    cpSync(folder('own'), folder('copy'), { recursive: true });
    expect([await standing(at('copy')), isPlaceKnown(at('copy'))]).toEqual(['unknown', false]);
    rmSync(folder('own'), { recursive: true });
    cpSync(folder('copy'), folder('own'), { recursive: true });
    expect([await standing(at('own')), isPlaceKnown(at('own'))]).toEqual(['unknown', false]);
    const ledger = await openRecords(at('own'), {});
    expect(() => {
      requireKnownLedger(at('own'), ledger);
    }).toThrow('You have not made the ledger');
    rememberLedger(at('own'), ledger);
    expect(trustLedger(at('own'), ledger)).toBe('known');
    forgetLedger(at('own'));
    expect(trustLedger(at('own'), ledger)).toBe('unknown');
    await ledger.close();
  });

  it('written over an own one in place is not: it has another id', async () => {
    await standing(at('own'));
    const other = { ...at('other'), env: { XDG_STATE_HOME: folder('state-of-another') } };
    await standing(other);
    cpSync(other.ledger, at('own').ledger);
    expect(await standing(at('own'))).toBe('unknown');
  });

  it('that came with a folder is known wherever its user names it, and nothing is recorded then', async () => {
    await standing({ ...at('own'), env: { XDG_STATE_HOME: folder('state-of-another') } });
    cpSync(folder('own'), folder('named'), { recursive: true });
    expect(await standing(at('named', true))).toBe('known');
    expect(existsSync(folder('state'))).toBe(false);
    expect(await standing(at('named'))).toBe('unknown');
  });

  it('is not known by a link to an own one, in whose place relative commands would be those of this folder', async () => {
    await standing(at('own'));
    mkdirSync(folder('shipped', '.voxbatch'), { recursive: true });
    symlinkSync(at('own').ledger, folder('shipped', '.voxbatch', 'ledger.db'));
    mkdirSync(folder('linked'));
    symlinkSync(folder('own'), folder('linked', '.voxbatch'));
    for (const place of ['shipped/.voxbatch', 'linked/.voxbatch']) {
      expect({ place, known: [await standing(at(place)), isPlaceKnown(at(place))] }).toEqual({
        place,
        known: ['unknown', false],
      });
    }
    symlinkSync(folder(), folder('other-name'));
    expect(await standing(at('other-name/own'))).toBe('known');
  });

  it('of an earlier version is adopted where it was made, and an unpacked one is not', async () => {
    await standing({ ...at('old'), env: { XDG_STATE_HOME: folder('state-of-another') } });
    asOfEarlierVersion(at('old'));
    cpSync(folder('old'), folder('unpacked'), { recursive: true });
    const db = new Database(at('unpacked').ledger);
    db.exec("update voxbatch_migrations set timestamp = '2026-01-05T10:00:00.000Z'");
    db.close();
    expect([await standing(at('unpacked')), await standing(at('unpacked'))]).toEqual(['unknown', 'unknown']);
    expect([await standing(at('old')), await standing(at('old'))]).toEqual(['adopted', 'known']);
  });

  it('is not adopted if it says by a view that it was made a moment ago', async () => {
    await standing({ ...at('shipped'), env: { XDG_STATE_HOME: folder('state-of-another') } });
    asOfEarlierVersion(at('shipped'));
    const db = new Database(at('shipped').ledger);
    db.exec('alter table voxbatch_migrations rename to m');
    const now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
    db.exec(`create view voxbatch_migrations as select name, ${now} as timestamp from m`);
    db.close();
    expect(await standing(at('shipped'))).toBe('unknown');
  });

  it('is not made where that cannot be recorded', async () => {
    mkdirSync(folder('state'));
    writeFileSync(folder('state', 'voxbatch'), 'a file');
    chmodSync(folder('state'), 0o500);
    await expect(openRecords(at('own'), {})).rejects.toThrow('where voxbatch records which ledgers are yours');
    expect(existsSync(at('own').ledger)).toBe(false);
    expect(await standing(at('own', true))).toBe('known');
  });
});
