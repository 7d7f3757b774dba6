import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { join } from 'node:path';
import type { BatchSettings } from '../../contract/batch.ts';
import { BUILT_IN_PRICES, type Kind, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { makeOlderLedger } from './older-ledger.ts';
import { expectKept } from './recount.ts';
import { aBatch, aKey, INTENT, makeFolder, open } from './setup.ts';

/** Ledgers with requests on record from before charges named their operations: migrations 0042 to 0050. */

let folder: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ folder, remove } = await makeFolder());
});
afterEach(() => remove());

interface OldCharge {
  readonly step: Step;
  readonly state: 'sending' | 'unknown' | 'accepted' | 'done' | 'revoked' | 'cached';
  readonly quoted: number;
  /** As the API told it. */
  readonly charged?: number;
  readonly isFinished?: boolean;
}

interface OldRow {
  readonly kind: Kind;
  readonly charges?: readonly OldCharge[];
  readonly spec?: Partial<RowSpec>;
  readonly partOf?: number;
  readonly parts?: number;
  readonly promised?: number;
  readonly outcome?: 'succeeded';
}

function batchLine(settings: Partial<BatchSettings>, rows: number): string {
  const { digest, apiUrl, account, settings: usual, columns, source } = aBatch();
  return `insert into batches (name, digest, api_url, account, settings, columns, source, stem, state, control, rows, created_at)
    values ('b', '${digest}', '${apiUrl}', '${account}', '${JSON.stringify({ ...usual, ...settings })}',
      '${JSON.stringify(columns)}', '${source}', 'b', 'open', 'running', ${rows}, 1)`;
}

function rowLines(
  { kind, charges = [], spec, partOf, parts, promised = 0, outcome }: OldRow,
  row: number,
): readonly string[] {
  const said = JSON.stringify({ kind, text: 'Hello.', voice: 'v', extra: {}, ...spec });
  const columns = [partOf ?? null, parts ?? null].map(String).join(', ');
  const isOpen = charges.some(({ state, isFinished }) => state === 'sending' || isFinished !== true);
  return [
    `insert into rows (batch, row, id, line, kind, spec, input, quoted, state, outcome, take, updated_at, ended_at, part_of, parts)
     values ('b', ${row}, 'r${row}', ${row + 1}, '${kind}', '${said}', '[]', 10, '${isOpen && charges.length > 0 ? 'processing' : 'waiting'}',
       ${outcome === undefined ? 'null' : `'${outcome}'`}, 1, 1, ${outcome === undefined ? 'null' : '1'}, ${columns})`,
    // Triggers count what is held back when that changes.
    `update rows set promised = ${promised} where row = ${row}`,
    ...charges.map(({ step, state, quoted, charged, isFinished = false }) => {
      const from = charged === undefined ? "'quote'" : "'api'";
      const money = state === 'accepted' || state === 'done' ? [charged ?? quoted, from] : ['null', 'null'];
      return `insert into charges (batch, row, step, take, attempt, state, job_id, quoted, charged, charged_from, owner, intent_at, finished_at)
        values ('b', ${row}, '${step}', 1, 1, '${state}', ${state === 'accepted' ? `'j${row}${step}'` : 'null'}, ${quoted}, ${money.join(', ')}, 'w', 1,
          ${isFinished ? '2' : 'null'})`;
    }),
  ];
}

/** Opens the ledger that a version with migrations up to `last` left with these rows. */
async function reopen(last: string, rows: readonly OldRow[], settings: Partial<BatchSettings>): Promise<Ledger> {
  const lines = rows.flatMap((row, index) => rowLines(row, index + 1));
  await makeOlderLedger(folder, last, [batchLine(settings, rows.length), ...lines]);
  return open(folder);
}

function operationsIn(): readonly unknown[] {
  const raw = new Database(join(folder, 'ledger.db'));
  try {
    const lines = raw.prepare('select row, step, operation from charges order by row, intent_at, step').all([]);
    return (lines as { row: number; step: string; operation: string | null }[]).map(({ row, step, operation }) =>
      [row, step, operation ?? 'none'].join(' '),
    );
  } finally {
    raw.close();
  }
}

const OF_EACH_KIND: readonly OldRow[] = [
  { kind: 'tts', charges: [{ step: 'speech', state: 'accepted', quoted: 10, charged: 1 }] },
  { kind: 'tts', charges: [{ step: 'speech', state: 'unknown', quoted: 10 }], spec: { dialect: 'legacy' } },
  {
    kind: 'tts',
    charges: [
      { step: 'speech', state: 'accepted', quoted: 10, charged: 12, isFinished: true },
      { step: 'verification', state: 'sending', quoted: 2 },
    ],
    spec: { verify: 0.8 },
  },
  { kind: 'lip-sync', charges: [{ step: 'lip-sync', state: 'accepted', quoted: 60, charged: 20 }] },
  {
    kind: 'dub',
    charges: [
      { step: 'speech', state: 'accepted', quoted: 10, charged: 30, isFinished: true },
      { step: 'lip-sync', state: 'sending', quoted: 60 },
    ],
  },
  { kind: 'dub', charges: [{ step: 'speech', state: 'sending', quoted: 10 }], promised: 60 },
  { kind: 'video-dubbing', charges: [{ step: 'video-dubbing', state: 'accepted', quoted: 100 }] },
  { kind: 'stt', charges: [{ step: 'transcription', state: 'unknown', quoted: 3 }] },
  { kind: 'voice', charges: [{ step: 'voice', state: 'sending', quoted: 5 }] },
  { kind: 'tts', parts: 2 },
  { kind: 'tts', partOf: 10, charges: [{ step: 'speech', state: 'accepted', quoted: 8, charged: 3 }] },
  { kind: 'tts', partOf: 10, promised: 8 },
  { kind: 'tts', charges: [{ step: 'speech', state: 'revoked', quoted: 10 }] },
  { kind: 'tts', charges: [{ step: 'speech', state: 'cached', quoted: 10, isFinished: true }] },
  {
    kind: 'dub',
    charges: [
      { step: 'speech', state: 'cached', quoted: 10, isFinished: true },
      { step: 'lip-sync', state: 'cached', quoted: 60, isFinished: true },
    ],
  },
];

describe('a ledger with requests of every operation, from before charges named them', () => {
  it.each(['0039', '0042', '0045'])('of migration %s: knows them all, and the sums add up', async (last) => {
    const ledger = await reopen(last, OF_EACH_KIND, { budget: 1_000 });
    expect(operationsIn()).toEqual([
      '1 speech speech-job',
      '2 speech speech-sync',
      '3 speech speech-job',
      '3 verification transcription',
      '4 lip-sync lip-sync-job',
      '5 lip-sync lip-sync-job',
      '5 speech speech-job',
      '6 speech speech-job',
      '7 video-dubbing video-dubbing-job',
      '8 transcription transcription',
      '9 voice voice',
      '11 speech speech-job',
      '13 speech none',
      '14 speech speech-job',
      '15 lip-sync lip-sync-job',
      '15 speech speech-job',
    ]);
    await expectKept(ledger, 'b');
    await ledger.close();
  });

  it('of migration 0049: knows those of copies, also of one whose job is read for its lost file', async () => {
    const cached = { step: 'speech', state: 'cached', quoted: 10, isFinished: true } as const;
    const read = { step: 'speech', state: 'accepted', quoted: 10 } as const;
    const rows = [
      { kind: 'tts', charges: [cached] },
      { kind: 'tts', charges: [cached], spec: { dialect: 'legacy' } },
      { kind: 'tts', charges: [read] },
    ] as const;
    const ledger = await reopen('0049', rows, { budget: 1_000 });
    expect(operationsIn()).toEqual(['1 speech speech-job', '2 speech speech-sync', '3 speech speech-job']);
    await expectKept(ledger, 'b');
    await ledger.close();
  });

  it('knows which speech was at once, and that chains never are', async () => {
    const ledger = await reopen('0045', OF_EACH_KIND, { budget: 1_000, tts: 'sync' });
    expect(operationsIn().filter((line) => String(line).includes('speech speech-'))).toEqual([
      '1 speech speech-sync',
      '2 speech speech-sync',
      '3 speech speech-sync',
      '5 speech speech-job',
      '6 speech speech-job',
      '11 speech speech-sync',
      '14 speech speech-sync',
      '15 speech speech-job',
    ]);
    await ledger.close();
  });
});

/** Speech that was charged five times its quote, two such jobs that run, and rows that nothing was sent for. */
const DEAR_SPEECH: readonly OldRow[] = [
  {
    kind: 'tts',
    charges: [{ step: 'speech', state: 'accepted', quoted: 10, charged: 50, isFinished: true }],
    outcome: 'succeeded',
  },
  { kind: 'tts', charges: [{ step: 'speech', state: 'accepted', quoted: 10 }] },
  { kind: 'tts', charges: [{ step: 'speech', state: 'accepted', quoted: 10, charged: 1 }] },
  { kind: 'lip-sync' },
  { kind: 'tts' },
];

describe('a budget after the migration', () => {
  it.each(['0039', '0042', '0045'])(
    'of %s: counts what runs with what its operation was charged, also before another row of it asks',
    async (last) => {
      const ledger = await reopen(last, DEAR_SPEECH, { budget: 200 });
      // 50 are charged, and the two jobs may be twice as much: there is no room for 60 before one of them has ended.
      const lipSync = aKey(4, 1, 1, 'lip-sync');
      expect((await ledger.intend(lipSync, { ...INTENT, quoted: 60 })).type).toBe('short');
      for (const row of [2, 3]) await ledger.finishJob(aKey(row), { credits: 10 }, { outcome: 'succeeded' });
      expect((await ledger.intend(lipSync, { ...INTENT, quoted: 60 })).type).toBe('go');
      await expectKept(ledger, 'b');
      const { ratios } = await ledger.chargeOutlook('b');
      const told = ratios.filter(({ operation, size }) => operation === 'speech-job' && size > 0);
      expect(told).toMatchObject([{ worst: 5, told: 3, ended: 3 }]);
      await ledger.close();
    },
  );

  it('that is given later counts them, too, and so does one that was taken away for a while', async () => {
    const ledger = await reopen('0045', DEAR_SPEECH, { budget: null });
    const lipSync = aKey(4, 1, 1, 'lip-sync');
    await ledger.tune('b', { budget: 200 });
    expect((await ledger.intend(lipSync, { ...INTENT, quoted: 60 })).type).toBe('short');
    await ledger.tune('b', { budget: null });
    expect((await ledger.intend(lipSync, { ...INTENT, quoted: 60 })).type).toBe('go');
    await ledger.settle(lipSync, { verdict: 'accepted', jobId: 'l' }, { state: 'processing' });
    await ledger.tune('b', { budget: 300 });
    const { ratios } = await ledger.chargeOutlook('b');
    expect(new Set(ratios.map(({ operation }) => operation))).toEqual(new Set(['lip-sync-job', 'speech-job']));
    await ledger.close();
  });

  it('waits for a first charge no longer where one has ended before', async () => {
    const ledger = await reopen('0045', DEAR_SPEECH, { budget: 10_000, prices: BUILT_IN_PRICES });
    expect((await ledger.intend(aKey(5), { ...INTENT, quoted: 10 })).type).toBe('go');
    expect(await ledger.untoldSteps('b')).toEqual([]);
    await ledger.close();
  });
});
