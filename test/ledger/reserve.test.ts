import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createLedger } from '../../ledger/ledger.ts';
import { LedgerFull } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openDatabase, openLedger } from '../../ledger/open-ledger.ts';
import { withReserve } from '../../ledger/ledger.ts';
import { DiskReserve } from '../../ledger/sqlite/disk-reserve.ts';
import { explain } from '../../ledger/sqlite/errors.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { aBatch, aKey, aRow, INTENT, makeFolder } from './setup.ts';

const ROWS = [1, 2, 3, 4, 5, 6, 7, 8];
const MIB = 1024 ** 2;
/** So long that its record needs new pages. */
const FAILURE = { class: 'BadRequest', message: 'x'.repeat(50_000) } as const;

let folder: string;
let remove: () => Promise<void>;
let path: string;

beforeEach(async () => {
  ({ folder, remove } = await makeFolder());
  path = join(folder, 'ledger.db');
});
afterEach(() => remove());

/** Records a request of each row but the last. */
async function sendAll(ledger: Ledger): Promise<void> {
  await ledger.createBatch(aBatch());
  await ledger.addRows(
    'b',
    [...ROWS, 9].map((row) => aRow(row)),
  );
  await ledger.openBatch('b', 9);
  for (const row of ROWS) expect(await ledger.intend(aKey(row), INTENT)).toMatchObject({ type: 'go' });
}

function settleAll(ledger: Ledger): Promise<unknown> {
  return Promise.all(
    ROWS.map((row) =>
      ledger.settle(aKey(row), { verdict: 'rejected', failure: FAILURE }, { outcome: 'failed', failure: FAILURE }),
    ),
  );
}

describe('a ledger whose file cannot grow', () => {
  it('records every answer in the room that was kept, and then no further request', async () => {
    const opened = await openDatabase({ place: path, mustExist: false });
    let isKept = true;
    const limit = async (pages: string): Promise<void> => {
      await sql.raw(`pragma max_page_count = ${pages}`).execute(opened.db);
    };
    const lifted: Promise<void>[] = [];
    const ledger = createLedger({
      ...opened,
      reserve: {
        hold: () => {
          if (!isKept) throw new LedgerFull(path, 'the disk is full', 'Free some space.');
        },
        free: () => {
          isKept = false;
          lifted.push(limit('1000000'));
        },
        isOnDiskOf: () => true,
      },
    });
    await sendAll(ledger);
    await limit('1');
    await settleAll(ledger);
    await Promise.all(lifted);
    expect(await ledger.counts('b')).toMatchObject({ outcomes: { failed: 8 } });
    expect(await ledger.sending('b')).toEqual([]);
    await expect(ledger.intend(aKey(9), INTENT)).rejects.toThrow(LedgerFull);
    await ledger.close();
  });
});

describe('room that the disk does not give back', () => {
  it('hides neither what the record says, nor that it is tried again', async () => {
    const opened = await openDatabase({ place: path, mustExist: false });
    const gone = Object.assign(new Error('EROFS: read-only file system, unlink'), { code: 'EROFS' });
    let tries = 0;
    const full: Ledger = {
      ...createLedger(opened),
      settle: () => {
        tries += 1;
        return Promise.reject(new LedgerFull(path, 'disk I/O error', 'Check the disk.'));
      },
    };
    const free = (): void => {
      throw gone;
    };
    const ledger = withReserve(full, { hold: () => undefined, free, isOnDiskOf: () => true });
    const settled = ledger.settle(
      aKey(1),
      { verdict: 'rejected', failure: FAILURE },
      { outcome: 'failed', failure: FAILURE },
    );
    await expect(settled).rejects.toThrow(LedgerFull);
    expect(tries).toBe(2);
    await ledger.makeRoom();
    await ledger.close();
  });
});

describe('the room that is kept', () => {
  it('is a file beside the ledger, of real bytes and for its owner alone, which is made again once it was given back', async () => {
    const ledger = await openLedger(path, { thread: true });
    const file = `${path}.reserve`;
    expect(statSync(file)).toMatchObject({ size: 8 * MIB });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).blocks * 512).toBeGreaterThanOrEqual(8 * MIB);
    await ledger.makeRoom();
    expect(existsSync(file)).toBe(false);
    await sendAll(ledger);
    expect(existsSync(file)).toBe(true);
    await ledger.close();
  });

  it('is not for files that grow, unless they are on another disk', async () => {
    const ledger = await openLedger(path, { thread: true });
    await ledger.leaveRoom(folder);
    const other = await mountSmallDisk(join(folder, 'disk'), MIB);
    const given = withReserve(ledger, new DiskReserve(path, Number.MAX_SAFE_INTEGER));
    try {
      await given.leaveRoom(folder);
      await given.makeRoom();
      await expect(given.leaveRoom(folder)).rejects.toThrow(LedgerFull);
      // Who writes into a folder that is gone is told so then.
      await given.leaveRoom(join(folder, 'gone'));
      if (other !== undefined) await given.leaveRoom(other.path);
      expect(existsSync(`${path}.reserve`)).toBe(false);
    } finally {
      await other?.close();
      await ledger.close();
    }
  });

  it.each(['.reserve.part', '.reserve', '.server', '.lock', '-wal'])(
    'is not kept where a link named ledger.db%s leads to a file of the user, which stays as it is',
    async (suffix) => {
      const mine = join(folder, 'mine.txt');
      writeFileSync(mine, 'mine');
      // The advice is copied to a shell as it stands.
      const ledger = join(folder, "my batch's.db");
      writeFileSync(ledger, '');
      symlinkSync(mine, ledger + suffix);
      await expect(openLedger(ledger, { thread: true })).rejects.toThrow(`rm '${folder}/my batch'\\''s.db${suffix}'`);
      expect(readFileSync(mine, 'utf8')).toBe('mine');
      expect(existsSync(`${ledger}.reserve`)).toBe(suffix === '.reserve');
    },
  );

  it.each([
    [
      'a link',
      (file: string): void => {
        writeFileSync(join(folder, 'mine.bin'), Buffer.alloc(8 * MIB, 1));
        symlinkSync(join(folder, 'mine.bin'), file);
        symlinkSync(join(folder, 'mine.bin'), `${file}.part`);
      },
    ],
    [
      'too short',
      (file: string): void => {
        writeFileSync(file, 'short');
      },
    ],
    [
      'a hole',
      (file: string): void => {
        writeFileSync(file, '');
        truncateSync(file, 8 * MIB);
      },
    ],
  ])('is made anew where the file is %s', async (_, make) => {
    await (await openLedger(path)).close();
    make(`${path}.reserve`);
    new DiskReserve(path).hold();
    const found = lstatSync(`${path}.reserve`);
    expect(found.isFile()).toBe(true);
    expect(found.blocks * 512).toBeGreaterThanOrEqual(8 * MIB);
    if (existsSync(join(folder, 'mine.bin'))) {
      expect(readFileSync(join(folder, 'mine.bin')).equals(Buffer.alloc(8 * MIB, 1))).toBe(true);
    }
  });

  it('is kept on a disk that does not say how large it is', async () => {
    await (await openLedger(path)).close();
    const silent = { bsize: 4096, blocks: 0, bavail: 0 };
    new DiskReserve(path, undefined, () => silent).hold();
    expect(statSync(`${path}.reserve`).size).toBe(8 * MIB);
  });

  it('is not kept by those who only look', async () => {
    await (await openLedger(path)).close();
    expect(existsSync(`${path}.reserve`)).toBe(false);
  });

  it('is refused, before anything is sent, where the disk would be full at once', async () => {
    await (await openLedger(path)).close();
    const reserve = new DiskReserve(path, Number.MAX_SAFE_INTEGER);
    // To set VOXBATCH_HOME would begin an empty ledger, which pays for finished rows again.
    expect(() => {
      reserve.hold();
    }).toThrow(
      /the disk is full \(\d+ MiB are free; \d+ MiB are needed((?!VOXBATCH_).)*Move the whole folder .* voxbatch trust/,
    );
    const disk = await mountSmallDisk(join(folder, 'disk'), 6 * MIB);
    // Without the right to mount, the refusal above stands for this one.
    if (disk === undefined) return;
    try {
      await expect(openLedger(join(disk.path, 'ledger.db'), { thread: true })).rejects.toThrow(LedgerFull);
    } finally {
      await disk.close();
    }
  });
});

describe('a worker that could not go on', () => {
  const dead = { owner: 'w1', apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };

  it('does not count as alive, and is remembered with its reason until another begins', async () => {
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
});

describe('a disk whose quota is used up', () => {
  it('gives the room that was kept to the answer, once', async () => {
    const ledger = await openLedger(path);
    let isUsedUp = true;
    const tried: string[] = [];
    const settle: Ledger['settle'] = (key, verdict, effect) => {
      tried.push(isUsedUp ? 'refused' : 'taken');
      const refusal = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE', rawCode: 778 });
      return isUsedUp ? Promise.reject(explain(path, refusal)) : ledger.settle(key, verdict, effect);
    };
    const guarded = withReserve(
      { ...ledger, settle },
      {
        hold: () => undefined,
        free: () => {
          isUsedUp = false;
        },
        isOnDiskOf: () => true,
      },
    );
    await sendAll(guarded);
    const [first = 0] = ROWS;
    await guarded.settle(aKey(first), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    expect(tried).toEqual(['refused', 'taken']);
    expect((await ledger.readRow('b', first))?.charges).toMatchObject([{ state: 'accepted', jobId: 'j' }]);
    await ledger.close();
  });
});
