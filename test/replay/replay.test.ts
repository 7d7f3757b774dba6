/** @slow */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Runtime, Worker } from '@temporalio/worker';
import { SUPERVISE_BATCH } from '../../contract/batch-workflow.ts';
import { workflowBundle } from '../support/replay-histories.ts';

const FOLDER = new URL('.', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

/** What this test reads of a history. */
interface History {
  readonly events: readonly [{ readonly workflowExecutionStartedEventAttributes: { readonly workflowId: string } }];
}

/**
 * Histories of batches that ran with earlier code. Code that cannot replay them would break batches that run while it is
 * rolled out: use `patched()`, or a new workflow type. Replaying proves that the same commands come in the same order, not
 * that results are right; the live tests do that.
 */
describe('stored histories', () => {
  // Its native threads would keep the test process alive.
  afterAll(() => Runtime.instance().shutdown());

  it('are there', () => expect(FILES.filter((name) => name.startsWith(SUPERVISE_BATCH))).not.toEqual([]));

  it.each(FILES)('%s replays with the code of today', async (name) => {
    const history = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as History;
    const id = history.events[0].workflowExecutionStartedEventAttributes.workflowId;
    await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, id);
  });

  // A worker of an earlier version may execute what a newer one has surveyed, and shows nothing of it.
  it('replay where an earlier workflow was told figures', async () => {
    const text = await readFile(new URL(`${SUPERVISE_BATCH}-plain.json`, FOLDER), 'utf8');
    const figures = { state: 'running', rows: 9, done: 1, failed: 0, unknown: 1, credits: 1 };
    let told = 0;
    const history = JSON.parse(text, (key: string, value: unknown) => {
      if (key !== 'data' || typeof value !== 'string') return value;
      const said: unknown = JSON.parse(Buffer.from(value, 'base64').toString());
      if (typeof said !== 'object' || said === null || !('open' in said)) return value;
      told += 1;
      return Buffer.from(JSON.stringify({ ...said, figures, searchable: ['VoxbatchUnknown'] })).toString('base64');
    }) as History;
    expect(told).toBeGreaterThan(1);
    const id = history.events[0].workflowExecutionStartedEventAttributes.workflowId;
    await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, id);
  });
});
