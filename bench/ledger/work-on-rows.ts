import { createHash } from 'node:crypto';
import type { LaneRequest } from '../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Rows processed at the same time. */
export const AT_ONCE = 32;
const PER_CLAIM = 100;
const FILE = { key: 'b/1-speech-1.mp3', bytes: 20_000, sha256: 'ab'.repeat(32), extension: 'mp3' };

/**
 * Processes rows in a ledger as a lane does, without an API: claims them, and records intent, verdict and end of job
 * for each. Returns how many it processed, at least `rows`.
 */
export async function workOnRows(ledger: Ledger, lane: LaneRequest, rows: number): Promise<number> {
  const held = await ledger.acquireLane(lane);
  let done = 0;
  while (done < rows) {
    const claim = await ledger.claimRows({ ...held, limit: PER_CLAIM });
    if (claim === 'lost' || claim.rows.length === 0) throw new Error('Expected more rows.');
    const waiting = [...claim.rows];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await workOnRow(ledger, lane.batch, next.row);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    done += claim.rows.length;
  }
  await ledger.releaseLane(held);
  return done;
}

async function workOnRow(ledger: Ledger, batch: string, { row, fence }: { row: number; fence: number }): Promise<void> {
  const key = { batch, row, step: 'speech', take: 1, attempt: 1 } as const;
  // A lane also looks for an earlier result of the same request; here there is none.
  const resultKey = createHash('sha256').update(`${batch}/${row}`).digest('base64url');
  const price = { quoted: 2.5, quotedRest: 0 };
  const intent = { ...price, owner: 'w', maxSending: 1_000, fence, resultKey, reuse: { passOver: [] } };
  const { type: answer } = await ledger.intend(key, intent);
  if (answer !== 'go') throw new Error(`Expected go, got ${answer}.`);
  await ledger.settle(key, { verdict: 'accepted', jobId: `${batch}-${row}`, credits: 2.5 }, { state: 'processing' });
  await ledger.finishJob(key, { file: FILE }, { outcome: 'succeeded', file: FILE });
}
