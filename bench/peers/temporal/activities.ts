import { setTimeout as pause } from 'node:timers/promises';
import { heartbeat } from '@temporalio/activity';
import { createJob, download, readJob } from '../speech-client.ts';
import type { Row } from '../../rows.ts';

const POLL_MS = 1_000;

/** The usual pattern: processes the complete row in one activity, which Temporal retries. */
export async function speak(row: Row): Promise<void> {
  await fetchResult(row, await createJob(row.text));
}

/** The same, with an idempotency key per row. An API that supports such keys would make one job of two requests. */
export async function speakWithKey(row: Row): Promise<void> {
  await fetchResult(row, await createJob(row.text, row.id));
}

/** Creates the job. The first of two activities. */
export async function create(row: Row): Promise<string> {
  return createJob(row.text);
}

/** Polls until the job is done, and stores its result. Also the second of two activities. */
export async function fetchResult(row: Row, job: string): Promise<void> {
  for (;;) {
    const link = await readJob(job);
    if (link !== undefined) {
      await download(link, row.id);
      return;
    }
    heartbeat();
    await pause(POLL_MS);
  }
}
