import type { AttemptKey, BatchSettings } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import { NEVER_HALT } from '../../contract/halt.ts';
import { DEFAULT_TUNABLES } from '../../contract/tunables.ts';
import { BUILT_IN_PRICES, type Kind, type RowSpec } from '../../contract/row-kinds.ts';
import type { LoadedRow } from '../../ledger/rows/row-records.ts';
import type { ResultFile } from '../../ledger/records.ts';
import { afterResult } from '../../policy/rows/after-result.ts';
import type { Place } from '../support/place.ts';

/** Creates the batch `demo` with these rows, open for work. */
export async function addBatch(
  { ledger }: Place,
  columns: readonly string[],
  rows: readonly (Pick<LoadedRow, 'id' | 'input' | 'parts'> & {
    readonly kind: Kind;
    readonly spec?: Partial<RowSpec>;
  })[],
  nameTemplate = '{id}.{ext}',
  budget: number | null = null,
  change: Partial<BatchSettings> = {},
): Promise<void> {
  const loading = await ledger.createBatch({
    name: 'demo',
    digest: 'd'.repeat(64),
    apiUrl: 'https://api.example/api/open/v1',
    account: 'user-1',
    settings: {
      ...DEFAULT_TUNABLES,
      budget,
      halt: NEVER_HALT,
      tts: 'job',
      reading: { kind: null, defaults: {}, map: {}, tts: 'job' },
      prices: BUILT_IN_PRICES,
      nameTemplate,
      firstLookMs: 3_000,
      pollGapMs: 2_000,
      jobDeadlineMs: 600_000,
      trust503: true,
      ...change,
    },
    columns,
    source: 'demo.csv',
  });
  await ledger.addRows(
    loading,
    rows.map(({ kind, spec, ...row }, index): LoadedRow => {
      return { ...row, row: index + 1, line: index + 2, spec: { kind, extra: {}, ...spec }, quoted: 10 };
    }),
  );
  await ledger.openBatch(loading, rows.length);
}

/** Creates it with a row of speech for each of these ids, in its only column. */
export async function addSpeech(place: Place, ...ids: readonly string[]): Promise<void> {
  const rows = ids.map((id) => ({ id, kind: 'tts', input: [id] }) as const);
  await addBatch(place, ['id'], rows);
}

/** The key of an attempt of a step of a row of `demo`; by default the first of the first take. */
export function keyOf(row: number, step: AttemptKey['step'] = 'speech', attempt = 1, take = 1): AttemptKey {
  return { batch: 'demo', row, step, take, attempt };
}

/** Records the intent of an attempt with a quote of 10 credits, and so much for the later steps of its row. */
export async function intend({ ledger }: Place, key: AttemptKey, quotedRest = 0): Promise<void> {
  const { type: answer } = await ledger.intend(key, { quoted: 10, quotedRest, owner: 'worker-1', maxSending: 8 });
  if (answer !== 'go') throw new Error(`expected the ledger to say go, but it said ${answer}`);
}

/** An attempt that the API makes a job of. */
export async function accept(place: Place, key: AttemptKey, jobId = jobIdOf(key)): Promise<void> {
  await intend(place, key);
  await place.ledger.settle(key, { verdict: 'accepted', jobId }, { state: 'processing' });
}

const jobIdOf = ({ row, step, take }: AttemptKey): string => `job-${row}-${step}${take === 1 ? '' : `-${take}`}`;

/** An attempt that the API refuses for good. */
export async function refuse(place: Place, key: AttemptKey, failure: Failure): Promise<void> {
  await intend(place, key);
  await place.ledger.settle(key, { verdict: 'rejected', failure }, { outcome: 'failed', failure });
}

/** An attempt whose answer is lost. */
export async function lose(place: Place, key: AttemptKey, failure = LOST): Promise<void> {
  await intend(place, key);
  await place.ledger.settle(key, { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
}

const LOST: Failure = { class: 'OutcomeUnknown', message: 'no answer within 180 s' };

/** A job that fails, and has cost 3 credits. */
export async function failJob(place: Place, key: AttemptKey): Promise<void> {
  const failure = { class: 'JobFailed', message: 'the job failed' } as const;
  await accept(place, key);
  await place.ledger.finishJob(key, { failure, credits: 3 }, { outcome: 'failed', failure });
}

/** Speech that is silent, and has cost 4 credits: its row ends unfit. */
export async function finishUnfit(place: Place, row: number, kind: Kind = 'tts'): Promise<void> {
  await accept(place, keyOf(row), `job-${row}`);
  const file = { ...(await place.store.put(`demo/${row}-speech-1.mp3`, 'nothing to hear')), unfit: 'silent' };
  const { effect, ...why } = afterResult({ kind }, 'speech', file, { retakes: 0, control: 'running' });
  await place.ledger.finishJob(keyOf(row), { file, credits: 4, ...why }, effect);
}

/** A job from its intent to its result, which ends the row unless it is a step before the last. */
export async function finish(place: Place, key: AttemptKey, file: ResultFile, credits?: number): Promise<void> {
  const isLast = !(key.step === 'speech' && file.key.endsWith('.speech.wav'));
  await accept(place, key);
  await place.ledger.finishJob(
    key,
    { file, ...(credits === undefined ? {} : { credits }) },
    isLast ? { outcome: 'succeeded', file } : { state: 'processing' },
  );
}

/** A batch that ended, with a row of every outcome that this delivery knows, and every awkward cell. */
export async function addSampleBatch(place: Place): Promise<void> {
  const { ledger, store } = place;
  const inputs: readonly (readonly [string, Kind, string, string])[] = [
    ['a', 'tts', '=HYPERLINK("x")', '-5'],
    ['b', 'stt', 'two\nlines, "quoted"', ''],
    ['c', 'dub', '你好 \u2028 🎉', '7'],
    ['d', 'tts', 'bad voice', ''],
    ['e', 'tts', 'lost answer', ''],
    ['f', 'lip-sync', '', ''],
    ['g', 'tts', "'=kept", ' spaces '],
  ];
  const rows = inputs.map((input) => ({ id: input[0], kind: input[1], input }));
  await addBatch(place, ['id', 'kind', 'text', '1'], rows);
  const sound = await store.put('demo/1-speech-1.mp3', 'sound of a');
  await finish(place, keyOf(1), { ...sound, seconds: 1.25 }, 4.5);

  const transcript = keyOf(2, 'transcription');
  await intend(place, transcript);
  const text = await store.put('demo/2-transcription-1.txt', '@all: hello');
  const srt = await store.put('demo/2-transcription-1.srt', '1\n00:00:00,000 --> 00:00:01,000\n@all: hello\n');
  const heard = { outcome: 'succeeded', file: text, extraFiles: [srt], text: '@all: hello' } as const;
  await ledger.settle(transcript, { verdict: 'done', file: text, requestId: 'req-2' }, heard);

  await intend(place, keyOf(3));
  const slow = { class: 'RateLimited', message: 'slow down' } as const;
  await ledger.settle(keyOf(3), { verdict: 'not-accepted', failure: slow }, { state: 'waiting' });
  await finish(place, keyOf(3, 'speech', 2), await store.put('demo/3-speech-1.speech.wav', 'sound of c'), 0.1);
  await finish(place, keyOf(3, 'lip-sync'), await store.put('demo/3-lip-sync-1.mp4', 'video of c'), 0.2);

  await intend(place, keyOf(4));
  const rejected = { class: 'BadRequest', message: '-voice is not known', requestId: 'req-4' } as const;
  const refused = { verdict: 'rejected', failure: rejected, requestId: 'req-4' } as const;
  await ledger.settle(keyOf(4), refused, { outcome: 'failed', failure: rejected });

  await ledger.revoke(keyOf(5));
  await lose(place, keyOf(5, 'speech', 2));

  await accept(place, keyOf(6, 'lip-sync'), 'job-6');
  const overdue = { class: 'Overdue', message: 'not finished after 600 s' } as const;
  await ledger.giveUp(keyOf(6), { outcome: 'overdue', failure: overdue });

  await ledger.giveUp(keyOf(7), { outcome: 'cancelled' });
  await ledger.closeBatch('demo');
}
