import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Failure } from '../../contract/failures.ts';
import type { Kind } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { NewBatch } from '../../ledger/batches/batch-records.ts';
import type { NewRow } from '../../ledger/rows/row-records.ts';
import type { ResultFile } from '../../ledger/records.ts';
import { aBatch, aRow, INTENT } from '../ledger/setup.ts';

/** How a row of a batch ended; undefined: it is still open. */
export type RowStory =
  | { readonly type: 'speech'; readonly body: Buffer; readonly credits?: number; readonly seconds?: number }
  | { readonly type: 'transcript'; readonly text: string }
  | { readonly type: 'refused'; readonly failure: Failure }
  | undefined;

/** Creates a batch of such rows, whose ids are r1, r2, … unless `change` says otherwise. Media go to the folder `store`. */
export async function addStories(
  ledger: Ledger,
  store: string,
  name: string,
  stories: readonly RowStory[],
  change: (row: NewRow) => NewRow = (row) => row,
  batch: NewBatch = aBatch(name),
): Promise<void> {
  const loading = await ledger.createBatch(batch);
  const rows = stories.map((story, at) => change(aRow(at + 1, kindOf(story))));
  await ledger.addRows(loading, rows);
  await ledger.openBatch(loading, stories.length);
  for (const [at, story] of stories.entries()) if (story !== undefined) await tell(ledger, store, name, at + 1, story);
}

async function tell(
  ledger: Ledger,
  store: string,
  batch: string,
  row: number,
  story: Exclude<RowStory, undefined>,
): Promise<void> {
  const step = story.type === 'transcript' ? 'transcription' : 'speech';
  const key = { batch, row, step, take: 1, attempt: 1 } as const;
  await ledger.intend(key, INTENT);
  if (story.type === 'refused') {
    const { failure } = story;
    await ledger.settle(key, { verdict: 'rejected', failure }, { outcome: 'failed', failure });
    return;
  }
  if (story.type === 'transcript') {
    const file = await put(store, `${batch}/${row}.txt`, Buffer.from(story.text));
    await ledger.settle(key, { verdict: 'done', file }, { outcome: 'succeeded', file, text: story.text });
    return;
  }
  await ledger.settle(key, { verdict: 'accepted', jobId: `${batch}-${row}` }, { state: 'processing' });
  const { body, seconds } = story;
  const stored = await put(store, `${batch}/${row}.mp3`, body);
  const file = seconds === undefined ? stored : { ...stored, seconds };
  await ledger.finishJob(key, { file, credits: story.credits ?? 2 }, { outcome: 'succeeded', file });
}

function kindOf(story: RowStory): Kind {
  return story?.type === 'transcript' ? 'stt' : 'tts';
}

async function put(store: string, key: string, body: Buffer): Promise<ResultFile> {
  const path = join(store, key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, body);
  return { key, bytes: body.length, sha256: key, extension: key.slice(key.lastIndexOf('.') + 1) };
}
