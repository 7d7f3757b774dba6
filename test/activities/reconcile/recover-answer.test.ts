import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { recoverAnswer, settleAsAdopted } from '../../../activities/reconcile/recover-answer.ts';
import { loadAttempt } from '../../../activities/attempt.ts';
import { storeTranscript } from '../../../activities/store-result.ts';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { RowSpec, Step } from '../../../contract/row-kinds.ts';
import type { StoredFile } from '../../../store/store.ts';
import { jobStemOf } from '../../../store/layout.ts';
import { wav } from '../../store/media.ts';
import { ANN } from '../../support/ann.ts';
import { dub, INTENT, keyOf, tts, stt, lipSync } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, begin, type World } from '../world.ts';

/** A batch whose rows' first requests are on record and without an answer. */
async function withLost(specs: readonly RowSpec[], step: Step): Promise<{ world: World; worker: Worker }> {
  const { world, worker } = await begin(specs, {
    wanted: { tts: 'sync' }, // No list is to be read for what is not in it.
    change: ({ api }) => ({ api: { ...api, listJobs: () => Promise.reject(new Error('the list was read')) } }),
  });
  for (const row of specs.keys()) await worker.deps.ledger.intend(keyOf(row + 1, 1, step), INTENT);
  return { world, worker };
}

/** Puts a file where a result of this name belongs. */
function put({ deps }: Worker, stem: string, extension: string): Promise<StoredFile> {
  return deps.store.write(stem, Buffer.from('whole'), { family: 'text', extension });
}

async function traceOf({ deps }: Worker, key: AttemptKey): ReturnType<typeof recoverAnswer> {
  return recoverAnswer(deps, await loadAttempt(deps, key), key, new AbortController().signal);
}

describe('recoverAnswer', () => {
  it.each([
    ['with subtitles', [{ start: 0, end: 1, text: 'Two' }], ['srt', 'vtt']],
    ['without', [], []],
  ] as const)('finds a transcript, %s', async (_, segments, extensions) => {
    const { world, worker } = await withLost([stt()], 'transcription');
    const key = keyOf(1, 1, 'transcription');
    const stored = await storeTranscript(worker.deps.store, await world.stem(1, 'transcription'), {
      text: 'Two\nlines\n',
      segments,
    });
    expect(await traceOf(worker, key)).toBe('found');
    const row = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', text: 'Two\nlines\n', ...stored });
    expect(row.extraFiles.map(({ extension }) => extension)).toEqual(extensions);
  });

  it('takes subtitles without their text for nothing: the text is stored last', async () => {
    const { world, worker } = await withLost([stt()], 'transcription');
    await put(worker, await world.stem(1, 'transcription'), 'srt');
    expect(await traceOf(worker, keyOf(1, 1, 'transcription'))).toBeUndefined();
    expect(await world.attempts()).toEqual(['transcription 1 sending']);
  });

  it('changes nothing where nothing is found, and reads no list for speech', async () => {
    const { world, worker } = await withLost([tts()], 'speech');
    expect(await traceOf(worker, keyOf(1))).toBeUndefined();
    expect(await world.attempts()).toEqual(['speech 1 sending']);
    const jobs = await createWorld();
    await jobs.fill([tts()]);
    const other = await jobs.worker({ change: () => ({ api: worker.deps.api }) });
    await other.deps.ledger.intend(keyOf(1), INTENT);
    expect(await traceOf(other, keyOf(1))).toBeUndefined();
  });
});

describe('recoverAnswer after a restore of the ledger', () => {
  /** A batch whose first row was sent after the backup, as the file of its result shows. */
  async function withFound(spec: RowSpec): Promise<{ world: World; worker: Worker; key: string }> {
    const { world, worker } = await begin([spec]);
    const { layout } = await world.batch();
    const stem = jobStemOf(layout, { row: 1, step: 'speech', take: 1 }, 'job-1');
    const { key } = await worker.deps.store.write(stem, wav(), { family: 'audio' });
    await world.ledger.acceptCopy(ANN);
    const file = { key, row: 1, step: 'speech', take: 1, writtenAt: Date.now() };
    await world.ledger.noteFoundFiles('b', [file], { from: Date.now() - 60_000, by: ANN });
    return { world, worker, key };
  }

  it('takes the result of a job that is in the store, whose request was lost with the ledger, and charges its quote', async () => {
    const { world, worker, key } = await withFound(tts());
    expect(await world.row()).toMatchObject({ outcome: 'unknown', charges: [{ state: 'unknown' }] });
    expect(await traceOf(worker, keyOf(1))).toBe('found');
    const { charges, ...row } = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', failure: null, file: { key } });
    expect(charges).toMatchObject([{ state: 'done', chargedFrom: 'quote', jobId: null, file: { key } }]);
  });

  it('takes nothing where the file is not whole any more', async () => {
    const { world, worker, key } = await withFound(tts());
    await truncate(join(world.folder, 'store', key), 20);
    expect(await traceOf(worker, keyOf(1))).toBeUndefined();
    expect(await world.row()).toMatchObject({ outcome: 'unknown', charges: [{ state: 'unknown' }] });
  });

  it('leaves speech whose job a later step needs to a person, who can name the job', async () => {
    const { world, worker } = await withFound(dub());
    expect(await traceOf(worker, keyOf(1))).toBeUndefined();
    expect(await world.row()).toMatchObject({ outcome: 'unknown', charges: [{ state: 'unknown' }] });
  });
});

it('settleAsAdopted gives a job to one attempt only', async () => {
  const { world, worker } = await withLost([lipSync(1), lipSync(2)], 'lip-sync');
  expect(await settleAsAdopted(worker.deps, keyOf(1, 1, 'lip-sync'), 'j1')).toBe(true);
  expect(await settleAsAdopted(worker.deps, keyOf(2, 1, 'lip-sync'), 'j1')).toBe(false);
  expect(await world.row()).toMatchObject({ state: 'processing', charges: [{ state: 'accepted', jobId: 'j1' }] });
  expect(await world.attempts(2)).toEqual(['lip-sync 1 sending']);
});
