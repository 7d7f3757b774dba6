import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeOlderLedger } from './older-ledger.ts';
import { expectKept } from './recount.ts';
import { makeFolder, open } from './setup.ts';

let folder: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ folder, remove } = await makeFolder());
});
afterEach(() => remove());

const TEXT = JSON.stringify(['"class":"Rejected"', '{"outcome":"refused"}']);
const SPEC = JSON.stringify({ kind: 'tts', text: '{"outcome":"rejected"}', voice: 'v', extra: {} });
const FAILURE = JSON.stringify({ class: 'Rejected', message: 'The API said {"class":"Rejected"}.', status: 400 });
const OTHER = JSON.stringify({ class: 'OverBudget', message: 'Not sent.' });

function aRow(row: number, outcome: string, failure: string): string {
  return `insert into rows (batch, row, id, line, kind, spec, input, state, outcome, failure, take, updated_at, ended_at)
    values ('b', ${row}, 'r${row}', ${row + 1}, 'tts', '${SPEC}', '${TEXT}', 'waiting', '${outcome}', '${failure}', 1, 1, 1)`;
}

function aTake(row: number, before: object): string {
  return `insert into takes (batch, row, take, reason, from_step, made_at, before)
    values ('b', ${row}, 2, 'redrive', 'speech', 1, '${JSON.stringify(before)}')`;
}

describe('a ledger of the older words', () => {
  it('speaks the new ones once it is opened, and leaves the texts of users as they are', async () => {
    const before = { file: null, extraFiles: [], input: JSON.parse(TEXT) as unknown };
    await makeOlderLedger(folder, '0003', [
      `insert into batches (name, digest, api_url, account, settings, columns, source, state, control, pause_reason, rows, created_at)
        values ('b', 'd', 'http://127.0.0.1', 'u', '{}', '[]', 'b.csv', 'open', 'paused', '${FAILURE}', 4, 1)`,
      aRow(1, 'rejected', OTHER),
      aRow(2, 'refused', OTHER),
      aRow(3, 'failed', FAILURE),
      aRow(4, 'succeeded', OTHER),
      `insert into charges (batch, row, step, take, attempt, state, failure, owner, intent_at)
        values ('b', 3, 'speech', 1, 1, 'rejected', '${FAILURE}', 'w', 1)`,
      aTake(1, { outcome: 'rejected', failure: null, ...before }),
      aTake(2, { outcome: 'refused', failure: JSON.parse(OTHER) as unknown, ...before }),
      aTake(3, { outcome: 'failed', failure: JSON.parse(FAILURE) as unknown, ...before }),
    ]);

    const ledger = await open(folder);
    const rows = await Promise.all([1, 2, 3, 4].map(async (row) => (await ledger.readRow('b', row))?.row));
    expect(rows.map((row) => row?.outcome)).toEqual(['unfit', 'skipped', 'failed', 'succeeded']);
    expect(rows.map((row) => row?.failure?.class)).toEqual(['OverBudget', 'OverBudget', 'BadRequest', 'OverBudget']);
    expect(rows[2]?.failure?.message).toBe('The API said {"class":"Rejected"}.');
    expect(rows.map((row) => row?.input)).toEqual(rows.map(() => JSON.parse(TEXT) as unknown));
    expect(rows[0]?.spec).toEqual(JSON.parse(SPEC));
    // The verdict about a request keeps its name.
    expect((await ledger.readRow('b', 3))?.charges[0]).toMatchObject({
      state: 'rejected',
      failure: { class: 'BadRequest' },
    });
    expect((await ledger.findBatch('b'))?.pauseReason?.class).toBe('BadRequest');
    const takes = (await Promise.all([1, 2, 3].map((row) => ledger.takesOf('b', row)))).flat();
    expect(takes.map((take) => take.before.outcome)).toEqual(['unfit', 'skipped', 'failed']);
    expect(takes.map((take) => take.before.failure?.class)).toEqual([undefined, 'OverBudget', 'BadRequest']);
    expect(takes.map((take) => take.before.input)).toEqual(takes.map(() => JSON.parse(TEXT) as unknown));
    await ledger.close();
  });
});

describe('a batch of a version before layouts', () => {
  it('keeps its files where they are', async () => {
    await makeOlderLedger(folder, '0005', [
      `insert into batches (name, digest, api_url, account, settings, columns, source, state, control, rows, created_at)
        values ('Lines', 'd', 'http://127.0.0.1', 'u', '{}', '[]', 'b.csv', 'open', 'running', 70000, 1)`,
    ]);
    const ledger = await open(folder);
    expect((await ledger.findBatch('Lines'))?.layout).toEqual({ stem: 'Lines', rowsAFolder: null });
    await ledger.close();
  });
});

describe('a ledger of a version that kept no counts', () => {
  it('knows them all once it is opened', async () => {
    await makeOlderLedger(folder, '0005', [
      `insert into batches (name, digest, api_url, account, settings, columns, source, state, control, rows, created_at, reopened_at)
        values ('b', 'd', 'http://127.0.0.1', 'u', '{}', '[]', 'b.csv', 'open', 'running', 4, 1, 1)`,
      aRow(1, 'failed', FAILURE),
      aRow(2, 'succeeded', OTHER),
      `insert into rows (batch, row, id, line, kind, spec, input, state, take, promised, updated_at)
        values ('b', 3, 'r3', 4, 'tts', '${SPEC}', '${TEXT}', 'processing', 1, 2.5, 1)`,
      `insert into charges (batch, row, step, take, attempt, state, quoted, charged, charged_from, owner, intent_at)
        values ('b', 2, 'speech', 1, 1, 'done', 2, 1.5, 'api', 'w', 1), ('b', 3, 'speech', 1, 1, 'accepted', 2, 2, 'quote', 'w', 1),
          ('b', 1, 'speech', 1, 1, 'unknown', 4, null, null, 'w', 1)`,
    ]);
    const ledger = await open(folder);
    await expectKept(ledger, 'b');
    expect(await ledger.money('b')).toMatchObject({ charged: 3.5, reserved: 2.5, uncertain: 4, estimated: true });
    await ledger.close();
  });
});
