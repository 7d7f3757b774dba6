import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Database from 'libsql';
import { join } from 'node:path';
import type { Kind, Step } from '../../contract/row-kinds.ts';
import { makeOlderLedger } from './older-ledger.ts';
import { aBatch, makeFolder, open } from './setup.ts';

/** Ledgers with requests on record from before these named the take whose speech they used: migration 0047. */

let folder: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ folder, remove } = await makeFolder());
});
afterEach(() => remove());

interface OldRow {
  readonly kind: Kind;
  /** Its latest take. */
  readonly take: number;
  /** The take whose speech a person accepted. */
  readonly accepted?: number;
  readonly charges: readonly (readonly [step: Step, take: number])[];
}

const ROWS: readonly OldRow[] = [
  // Once, and again from its lip-sync on.
  {
    kind: 'dub',
    take: 2,
    charges: [
      ['speech', 1],
      ['lip-sync', 1],
      ['lip-sync', 2],
    ],
  },
  // Spoken again, and the second speech is the one that was used.
  {
    kind: 'dub',
    take: 2,
    charges: [
      ['speech', 1],
      ['lip-sync', 1],
      ['speech', 2],
      ['lip-sync', 2],
    ],
  },
  // Spoken twice; the first speech was accepted, and the lip-sync made of that.
  {
    kind: 'dub',
    take: 2,
    accepted: 1,
    charges: [
      ['speech', 1],
      ['speech', 2],
      ['lip-sync', 2],
    ],
  },
  {
    kind: 'tts',
    take: 2,
    charges: [
      ['speech', 1],
      ['verification', 1],
      ['speech', 2],
      ['verification', 2],
    ],
  },
  // Only its check was paid for again.
  {
    kind: 'tts',
    take: 2,
    charges: [
      ['speech', 1],
      ['verification', 1],
      ['verification', 2],
    ],
  },
  { kind: 'lip-sync', take: 1, charges: [['lip-sync', 1]] },
  { kind: 'stt', take: 1, charges: [['transcription', 1]] },
];

function statements(): readonly string[] {
  const { digest, apiUrl, account, settings, columns, source } = aBatch();
  const batch = `insert into batches (name, digest, api_url, account, settings, columns, source, stem, state, control, rows, created_at)
    values ('b', '${digest}', '${apiUrl}', '${account}', '${JSON.stringify(settings)}', '${JSON.stringify(columns)}', '${source}', 'b', 'open', 'running',
      ${ROWS.length}, 1)`;
  const rows = ROWS.map(({ kind, take, accepted }, at) => {
    const spec = JSON.stringify({ kind, text: 'Hello.', voice: 'v', extra: {} });
    return `insert into rows (batch, row, id, line, kind, spec, input, quoted, state, take, accepted_take, updated_at)
      values ('b', ${at + 1}, 'r${at + 1}', ${at + 2}, '${kind}', '${spec}', '[]', 10, 'waiting', ${take}, ${accepted ?? 'null'}, 1)`;
  });
  const charges = ROWS.flatMap((row, at) =>
    row.charges.map(
      ([step, take], sent) =>
        `insert into charges (batch, row, step, take, attempt, state, job_id, quoted, charged, charged_from, owner, intent_at, finished_at)
          values ('b', ${at + 1}, '${step}', ${take}, 1, 'accepted', 'j${at}-${sent}', 10, 10, 'api', 'w', ${sent + 1}, ${sent + 1})`,
    ),
  );
  return [batch, ...rows, ...charges];
}

it('each request is given the take whose speech it used, and an accepted dub goes on from its lip-sync', async () => {
  await makeOlderLedger(folder, '0046', statements());
  const ledger = await open(folder);
  const rows = await Promise.all(ROWS.map((_, at) => ledger.readRow('b', at + 1)));
  expect(rows.map((found) => found?.row.redoFrom ?? null)).toEqual([null, null, 'lip-sync', null, null, null, null]);
  await ledger.close();

  const raw = new Database(join(folder, 'ledger.db'));
  const lines = raw.prepare('select row, step, take, from_take from charges order by row, intent_at').all([]);
  const returned = raw.prepare('select count(*) as n from rows where returned_to is not null').get([]);
  raw.close();
  expect(
    (lines as { row: number; step: string; take: number; from_take: number | null }[])
      .filter(({ from_take }) => from_take !== null)
      .map((line) => [line.row, line.step, line.take, line.from_take]),
  ).toEqual([
    [1, 'lip-sync', 1, 1],
    [1, 'lip-sync', 2, 1],
    [2, 'lip-sync', 1, 1],
    [2, 'lip-sync', 2, 2],
    [3, 'lip-sync', 2, 1],
    [4, 'verification', 1, 1],
    [4, 'verification', 2, 2],
    [5, 'verification', 1, 1],
    [5, 'verification', 2, 1],
  ]);
  expect(returned).toMatchObject({ n: 0 });
});
