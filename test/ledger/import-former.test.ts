import { beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { LedgerUnreachable } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import type { ReasonCount, Counts, Money } from '../../ledger/batches/counts.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { compiledOf } from '../compiled.mjs';
import { FILE } from './actions.ts';
import { expectKept } from './recount.ts';
import { aBatch, claimAnew, DROP_LATER_TABLES, INTENT } from './setup.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/**
 * Ledgers of layouts from before version 1, which `former/` has as those versions left them, with what they said of
 * them.
 */

interface Said {
  readonly counts: Counts;
  readonly money: Money;
  readonly reasons: readonly ReasonCount[];
  readonly sending: number;
}
type Sayings = Readonly<Record<'lines' | 'old' | 'paused', Said>> & { readonly id: string; readonly running: number };

const FORMER = ['6809b0de', '229fdf07'];
const { apiUrl, account } = aBatch();

function read(version: string, suffix: string): string {
  return readFileSync(join(import.meta.dirname, 'former', `${version}.${suffix}`), 'utf8');
}

let path: string;
beforeEach(async () => {
  path = join(freshFolder(), 'ledger.db');
});

function make(version: string, ...more: readonly string[]): void {
  const raw = new Database(path);
  raw.exec(
    `pragma journal_mode = wal; pragma foreign_keys = off; begin; ${read(version, 'sql')} ${more.join(';')}; commit`,
  );
  raw.close();
}

function tablesIn(file: string): readonly unknown[] {
  const raw = new Database(file, { readonly: true });
  const names = raw.prepare(`select name from sqlite_master where type = 'table' order by name`).pluck().all([]);
  raw.close();
  return names;
}

async function sayingsOf(ledger: Ledger): Promise<Sayings> {
  const ofBatches: Record<string, Said> = {};
  for (const { name } of await ledger.listBatches()) {
    ofBatches[name] = {
      counts: await ledger.counts(name),
      money: await ledger.money(name),
      reasons: await ledger.commonReasons(name, 9),
      sending: (await ledger.sending(name)).length,
    };
  }
  return { id: ledger.id, ...ofBatches, running: await ledger.countRunning(apiUrl, account) } as Sayings;
}

describe.each(FORMER)('a ledger of %s', (version) => {
  it('says the same of every batch once it is opened, and is kept beside as it was', async () => {
    make(version);
    const before = tablesIn(path);
    const ledger = await openLedger(path);
    expect(await sayingsOf(ledger)).toEqual(JSON.parse(read(version, 'json')));
    for (const batch of ['lines', 'old', 'paused']) await expectKept(ledger, batch);
    expect(await ledger.schemaDifferences()).toEqual([]);
    expect(ledger.former).toBe(`${path}.former`);
    expect(tablesIn(`${path}.former`)).toEqual(before);
    expect(statSync(`${path}.former`).mode & 0o777).toBe(0o600);
    await ledger.close();
    const again = await openLedger(path);
    expect(again.former).toBeUndefined();
    expect(again.origin).toEqual(ledger.origin);
    await again.close();
  });

  it('goes on: what is on the wire, what runs, rows in parts, voices, hooks and schedules', async () => {
    make(version);
    const ledger = await openLedger(path);
    const rowOf = async (row: number): Promise<RowRecord | undefined> => (await ledger.readRow('lines', row))?.row;
    const spec = { kind: 'tts', text: `Row 1, “quoted” 'so'`, voice: 'v', extra: {} };
    expect((await rowOf(1))?.spec).toEqual(spec);
    expect((await rowOf(11))?.spec).toMatchObject({ verify: 0.8 });
    expect((await rowOf(12))?.spec).toMatchObject({ dialect: 'legacy' });
    expect(await rowOf(14)).toMatchObject({ spec: { voice: 'voice-1' }, awaitedVoice: 'voice-1' });
    const key = (row: number, step: 'speech' | 'lip-sync' = 'speech', take = 1) =>
      ({ batch: 'lines', row, step, take, attempt: 1 }) as const;
    await ledger.settle(key(3), { verdict: 'accepted', jobId: 'j3', credits: 2.5 }, { state: 'processing' });
    expect(await ledger.finishJob(key(2), { file: FILE }, { outcome: 'succeeded', file: FILE })).toMatchObject({
      finished: true,
    });
    await ledger.settle(
      key(10, 'lip-sync'),
      { verdict: 'done', file: FILE, credits: 9 },
      { outcome: 'succeeded', file: FILE },
    );
    expect((await ledger.readRow('lines', 10))?.charges.map(({ fromTake }) => fromTake)).toEqual([null, 1]);
    await ledger.settleVoices([{ batch: 'lines', voice: 'voice-1', then: 'use' }]);
    expect(await rowOf(15)).toMatchObject({ state: 'waiting' });
    // The last part ends its row.
    await ledger.giveUp(key(22), { outcome: 'cancelled' });
    expect(await rowOf(17)).toMatchObject({ outcome: 'failed', failure: { class: 'JobFailed' } });
    expect(await ledger.lastRows({ apiUrl, account }, ['r1', 'r2'])).toMatchObject([
      { id: 'r1', batch: 'paused' },
      { id: 'r2', batch: 'old' },
    ]);
    const { rows } = await claimAnew(ledger, { batch: 'lines', lane: 1, run: 'other' });
    expect(rows.map(({ row }) => row.row)).toEqual(expect.arrayContaining([3, 5, 6, 14, 15]));
    const intent = { ...INTENT, maxSending: 64 };
    expect(await ledger.intend(key(14), intent)).toMatchObject({ type: 'go' });
    expect(await ledger.intend(key(5, 'speech', 2), { ...intent, quoted: 400 })).toMatchObject({ type: 'go' });
    expect((await ledger.findBatch('lines'))?.settings.prices['speech-job']).toBeDefined();
    await expectKept(ledger, 'lines');
    expect(await ledger.noticesOf('old')).toMatchObject([{ event: 'ended', target: 'url' }]);
    expect((await ledger.occurrencesOf('nightly')).map(({ state }) => state)).toEqual(['failed']);
    expect(await ledger.knownSchedules()).toEqual(
      // Its settings lay in Temporal then, so it is to be made again.
      version === '6809b0de' ? [] : ['nightly'],
    );
    await ledger.close();
  });

  it('is left alone while a worker of that version has it', async () => {
    make(version);
    const before = tablesIn(path);
    const worker = new KernelLock(`${path}.lock`);
    expect(worker.tryShared()).toBe(true);
    await expect(openLedger(path)).rejects.toThrow('it is of an earlier version, and workers still have it');
    await expect(openLedger(path)).rejects.toThrow(LedgerUnreachable);
    worker.close();
    expect(tablesIn(path)).toEqual(before);
    expect(existsSync(`${path}.former`)).toBe(false);
  });

  it('is read in once when many open it at once', async () => {
    make(version);
    const ledgers = await Promise.all([1, 2, 3, 4].map(() => openLedger(path)));
    expect(ledgers.filter(({ former }) => former !== undefined)).toHaveLength(1);
    for (const ledger of ledgers) await ledger.close();
  });
});

it('a process of that version that had opened the ledger just before records no intent any more, so it sends nothing', async () => {
  make('229fdf07');
  const older = new Database(path);
  await (await openLedger(path)).close();
  expect(() =>
    older.exec(`insert into charges (batch, row, step, take, attempt, from_take, operation, state, quoted, link_hash, name_free, owner, intent_at,
        verdict_at, finished_at, file, result_key, source, failure, judgement)
        values ('lines', 6, 'speech', 1, 2, null, 'speech-job', 'sending', 2.5, null, null, 'w', 1, null, null, null, null, null, null, null)`),
  ).toThrow('NOT NULL constraint failed: charges.damaged');
  older.close();
});

describe('a process that is killed while it reads a former ledger in', () => {
  const MANY = `insert into rows (batch, row, id, line, kind, spec, input, quoted, state, take, updated_at)
    with recursive n(i) as (select 100 union all select i + 1 from n where i < 40000)
    select 'lines', i, 'm' || i, i, 'tts', '{"kind":"tts","text":"' || hex(randomblob(100)) || '","voice":"v","extra":{}}', '[]', 1, 'waiting', 1, 1 from n`;

  /**
   * Kills a process that opens the ledger once this file is there, after some ms. True: it was killed in the middle.
   */
  async function killAt(file: string, ms: number): Promise<boolean> {
    const module = pathToFileURL(compiledOf('ledger/open-ledger.ts')).href;
    const code = `const { openLedger } = await import(${JSON.stringify(module)}); await (await openLedger(${JSON.stringify(path)})).close();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    while (!existsSync(file) && child.exitCode === null) await sleep(1);
    await sleep(ms);
    child.kill('SIGKILL');
    const [code_] = (await ended) as [number | null];
    return code_ === null;
  }

  it('leaves the former ledger, which the next one reads in', async () => {
    make('229fdf07', MANY);
    const before = tablesIn(path);
    let killed = 0;
    for (const [file, ms] of [
      ['.former.part', 0],
      ['.former.part', 20],
      ['.former', 0],
      ['.former', 100],
    ] as const) {
      if (await killAt(`${path}${file}`, ms)) killed += 1;
      expect(tablesIn(path)).toEqual(before);
      // What the next one makes is waited for anew.
      for (const suffix of ['.former.part', '.former']) rmSync(`${path}${suffix}`, { force: true });
    }
    expect(killed).toBe(4);
    const ledger = await openLedger(path);
    const { lines } = JSON.parse(read('229fdf07', 'json')) as Sayings;
    expect(await ledger.counts('lines')).toMatchObject({ total: lines.counts.total + 39_901 });
    expect(await ledger.money('lines')).toEqual(lines.money);
    await ledger.close();
  });
});

describe('a ledger of a layout from before 0.1', () => {
  it('keeps no schedule whose settings it never had: its user makes it anew', async () => {
    make('229fdf07', `insert into schedules (name, surveyed_until) values ('unsettled', 1000)`);
    const ledger = await openLedger(path);
    expect(await ledger.knownSchedules()).toEqual(['nightly']);
    await ledger.close();
  });

  it('is read in from the first form of the one schema, too', async () => {
    await (await openLedger(path)).close();
    const raw = new Database(path);
    raw.exec(`delete from voxbatch_migrations where name <> '0.1'; ${DROP_LATER_TABLES};
      update voxbatch_migrations set name = 'v1'; drop table schedules;
      create table schedules (name text primary key, surveyed_until integer not null, on_end text, notify text, run text, spec text,
        api_url text, account text, settled_at integer, legacy_until integer, note text);
      insert into schedules (name, surveyed_until) values ('unsettled', 1000)`);
    raw.close();
    const ledger = await openLedger(path);
    expect(ledger.former).toBe(`${path}.former`);
    expect(await ledger.knownSchedules()).toEqual([]);
    expect(await ledger.schemaDifferences()).toEqual([]);
    await ledger.close();
  });
});
