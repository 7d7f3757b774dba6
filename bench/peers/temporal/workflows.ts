import { executeChild, proxyActivities } from '@temporalio/workflow';
import type { Row } from '../../rows.ts';
import type * as activities from './activities.ts';

/** Usual time-outs for jobs of seconds. Temporal's default retries: without limit. */
const { speak, speakWithKey, fetchResult } = proxyActivities<typeof activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
});
const { create } = proxyActivities<typeof activities>({ startToCloseTimeout: '15 seconds' });

/** One activity a row. */
export async function oneActivity(rows: readonly Row[]): Promise<void> {
  await Promise.all(rows.map((row) => speak(row)));
}

/** One activity a row, with an idempotency key. */
export async function oneActivityKeyed(rows: readonly Row[]): Promise<void> {
  await Promise.all(rows.map((row) => speakWithKey(row)));
}

/** A child workflow a row. */
export async function childWorkflows(rows: readonly Row[]): Promise<void> {
  await Promise.all(rows.map((row) => executeChild(speakRow, { args: [row], workflowId: `speak-${row.id}` })));
}

/** The child workflow of a row. */
export async function speakRow(row: Row): Promise<void> {
  const job = await create(row);
  await fetchResult(row, job);
}
