import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createLedger, withReserve, type Ledger } from '../../ledger/ledger.ts';
import { LedgerFull } from '../../ledger/errors.ts';
import { openDatabase, openLedger } from '../../ledger/open-ledger.ts';
import { DiskReserve } from '../../ledger/sqlite/disk-reserve.ts';
import { explain } from '../../ledger/sqlite/errors.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { aKey, fill, INTENT, upTo } from './setup.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const ROWS = upTo(8);
const MIB = 1024 ** 2;
/** So long that its record needs new pages. */
const FAILURE = { class: 'BadRequest', message: 'x'.repeat(50_000) } as const;
const NO_RESERVE = {
  begin: () => undefined,
  hold: () => undefined,
  fault: () => undefined,
  free: () => undefined,
  isOnDiskOf: () => true,
};

const folder = folderForEach();
let path: string;
let reserve: string;

beforeEach(async () => {
  path = folder('ledger.db');
  reserve = `${path}.reserve`;
});

/** Records a request of each row but the last. */
async function sendAll(ledger: Ledger): Promise<void> {
  await fill(ledger, 9);
  for (const row of ROWS) expect(await ledger.intend(aKey(row), INTENT)).toMatchObject({ type: 'go' });
}

const reject = (ledger: Ledger, row: number): Promise<unknown> =>
  ledger.settle(aKey(row), { verdict: 'rejected', failure: FAILURE }, { outcome: 'failed', failure: FAILURE });

async function makeLedger(): Promise<void> {
  await (await openLedger(path)).close();
}

it('a ledger whose file cannot grow records every answer in the room that was kept, and then no further request', async () => {
  const opened = await openDatabase({ place: path, mustExist: false });
  let isKept = true;
  const limit = async (pages: string): Promise<void> => {
    await sql.raw(`pragma max_page_count = ${pages}`).execute(opened.db);
  };
  const lifted: Promise<void>[] = [];
  const hold = (): void => {
    if (!isKept) throw new LedgerFull(path, 'the disk is full', 'Free some space.');
  };
  const free = (): void => {
    isKept = false;
    lifted.push(limit('1000000'));
  };
  const ledger = createLedger({ ...opened, reserve: { ...NO_RESERVE, hold, free } });
  await sendAll(ledger);
  await limit('1');
  await Promise.all(ROWS.map((row) => reject(ledger, row)));
  await Promise.all(lifted);
  expect(await ledger.counts('b')).toMatchObject({ outcomes: { failed: 8 } });
  expect(await ledger.sending('b')).toEqual([]);
  await expect(ledger.intend(aKey(9), INTENT)).rejects.toThrow(LedgerFull);
  await ledger.close();
});

it('room that the disk does not give back hides neither what the record says, nor that it is tried again', async () => {
  const opened = await openDatabase({ place: path, mustExist: false });
  let tries = 0;
  const settle: Ledger['settle'] = () => {
    tries += 1;
    return Promise.reject(new LedgerFull(path, 'disk I/O error', 'Check the disk.'));
  };
  const free = (): void => {
    throw Object.assign(new Error('EROFS: read-only file system, unlink'), { code: 'EROFS' });
  };
  const ledger = withReserve({ ...createLedger(opened), settle }, { ...NO_RESERVE, free });
  await expect(reject(ledger, 1)).rejects.toThrow(LedgerFull);
  expect(tries).toBe(2);
  await ledger.makeRoom();
  await ledger.close();
});

it('a disk whose quota is used up gives the room that was kept to the answer, once', async () => {
  const ledger = await openLedger(path);
  let isUsedUp = true;
  const tried: string[] = [];
  const settle: Ledger['settle'] = (key, verdict, effect) => {
    tried.push(isUsedUp ? 'refused' : 'taken');
    const refusal = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE', rawCode: 778 });
    return isUsedUp ? Promise.reject(explain(path, refusal)) : ledger.settle(key, verdict, effect);
  };
  const free = (): void => {
    isUsedUp = false;
  };
  const guarded = withReserve({ ...ledger, settle }, { ...NO_RESERVE, free });
  await sendAll(guarded);
  await guarded.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
  expect(tried).toEqual(['refused', 'taken']);
  expect((await ledger.readRow('b', 1))?.charges).toMatchObject([{ state: 'accepted', jobId: 'j' }]);
  await ledger.close();
});

describe('the room that is kept', () => {
  it('is a file beside the ledger, of real bytes and for its owner alone, which is made again once it was given back', async () => {
    const ledger = await openLedger(path, { thread: true });
    expect(statSync(reserve)).toMatchObject({ size: 8 * MIB });
    expect(statSync(reserve).mode & 0o777).toBe(0o600);
    expect(statSync(reserve).blocks * 512).toBeGreaterThanOrEqual(8 * MIB);
    await ledger.makeRoom();
    expect(existsSync(reserve)).toBe(false);
    await sendAll(ledger);
    expect(existsSync(reserve)).toBe(true);
    await ledger.close();
  });

  it('is not for files that grow, unless they are on another disk', async () => {
    const ledger = await openLedger(path, { thread: true });
    await ledger.leaveRoom(folder());
    const other = await mountSmallDisk(folder('disk'), MIB);
    const given = withReserve(ledger, new DiskReserve(path, Number.MAX_SAFE_INTEGER));
    try {
      await given.leaveRoom(folder());
      await given.makeRoom();
      await expect(given.leaveRoom(folder())).rejects.toThrow(LedgerFull);
      // Who writes into a folder that is gone is told so then.
      await given.leaveRoom(folder('gone'));
      if (other !== undefined) await given.leaveRoom(other.path);
      expect(existsSync(reserve)).toBe(false);
    } finally {
      await other?.close();
      await ledger.close();
    }
  });

  it.each(['.reserve.part', '.reserve', '.server', '.lock', '-wal'])(
    'is not kept where a link named ledger.db%s leads to a file of the user, which stays as it is',
    async (suffix) => {
      const mine = folder('mine.txt');
      writeFileSync(mine, 'mine');
      // The advice is copied to a shell as it stands.
      const ledger = folder("my batch's.db");
      writeFileSync(ledger, '');
      symlinkSync(mine, ledger + suffix);
      await expect(openLedger(ledger, { thread: true })).rejects.toThrow(`rm '${folder()}/my batch'\\''s.db${suffix}'`);
      expect(readFileSync(mine, 'utf8')).toBe('mine');
      expect(existsSync(`${ledger}.reserve`)).toBe(suffix === '.reserve');
    },
  );

  it.each(['a link', 'too short', 'a hole'])('is made anew where the file is %s', async (what) => {
    const mine = folder('mine.bin');
    writeFileSync(mine, Buffer.alloc(8 * MIB, 1));
    await makeLedger();
    if (what === 'a link') for (const file of [reserve, `${reserve}.part`]) symlinkSync(mine, file);
    else writeFileSync(reserve, what);
    if (what === 'a hole') truncateSync(reserve, 8 * MIB);
    new DiskReserve(path).hold();
    expect(lstatSync(reserve).isFile()).toBe(true);
    expect(lstatSync(reserve).blocks * 512).toBeGreaterThanOrEqual(8 * MIB);
    expect(readFileSync(mine).equals(Buffer.alloc(8 * MIB, 1))).toBe(true);
  });

  it('is kept on a disk that does not say how large it is, and not by those who only look', async () => {
    await makeLedger();
    expect(existsSync(reserve)).toBe(false);
    new DiskReserve(path, undefined, () => ({ bsize: 4096, blocks: 0, bavail: 0 })).hold();
    expect(statSync(reserve).size).toBe(8 * MIB);
  });

  it('is refused, before anything is sent, where the disk would be full at once', async () => {
    await makeLedger();
    const full = new DiskReserve(path, Number.MAX_SAFE_INTEGER);
    // To set VOXBATCH_HOME would begin an empty ledger, which pays for finished rows again.
    expect(() => {
      full.hold();
    }).toThrow(
      /the disk is full \(\d+ MiB are free; \d+ MiB are needed((?!VOXBATCH_).)*Move the whole folder .* voxbatch trust/,
    );
    const nearlyFull = new DiskReserve(path, undefined, () => ({ bsize: MIB, blocks: 30, bavail: 3 }));
    writeFileSync(reserve, Buffer.alloc(8 * MIB, 1));
    // What is reserved is for the answers of requests in flight: it is no room for further ones.
    nearlyFull.hold();
    expect(() => {
      nearlyFull.begin();
    }).toThrow(/the disk is full \(3 MiB are free; 8 MiB are needed besides the 8 MiB reserved/);
    const disk = await mountSmallDisk(folder('disk'), 6 * MIB);
    // Without the right to mount, the refusal above stands for this one.
    if (disk === undefined) return;
    try {
      await expect(openLedger(join(disk.path, 'ledger.db'), { thread: true })).rejects.toThrow(LedgerFull);
    } finally {
      await disk.close();
    }
  });
});

it('whoever looks sees that nothing more can be recorded: there is no room for the reserve, or none at all beside it', async () => {
  await makeLedger();
  const free = (kib: number): DiskReserve =>
    new DiskReserve(path, undefined, () => ({ bsize: 1024, blocks: 30_000, bavail: kib }));
  expect(free(17 * 1024).fault()).toBeUndefined();
  expect(free(15 * 1024).fault()?.message).toMatch(/the disk is full \(15 MiB are free; 16 MiB are needed, so that/);
  writeFileSync(reserve, Buffer.alloc(8 * MIB, 1));
  expect(free(1024).fault()).toBeUndefined();
  expect(free(4).fault()?.message).toContain('the disk is full (0 MiB are free');
  const unknown = new DiskReserve(path, undefined, () => ({ bsize: 1024, blocks: 0, bavail: 0 }));
  expect(unknown.fault()).toBeUndefined();
});

it('a worker that could not go on does not count as alive, and is remembered with its reason until another begins', async () => {
  const dead = { owner: 'w1', apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };
  const ledger = await openLedger(path);
  await ledger.beat(dead);
  expect(await ledger.lastWorkerEnd(dead.apiUrl, 'u1')).toBeUndefined();
  await ledger.noteWorkerEnd(dead, 'The disk is full.');
  expect(await ledger.livingWorkers(dead.apiUrl, 'u1')).toEqual([]);
  expect(await ledger.lastWorkerEnd(dead.apiUrl, 'u1')).toMatchObject({ reason: 'The disk is full.' });
  expect(await ledger.lastWorkerEnd(dead.apiUrl, 'u2')).toBeUndefined();
  await ledger.forgetWorkers('all');
  await ledger.beat({ ...dead, owner: 'w2' });
  expect(await ledger.lastWorkerEnd(dead.apiUrl, 'u1')).toBeUndefined();
  await ledger.close();
});
