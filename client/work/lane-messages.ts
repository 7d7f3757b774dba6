import type { LaneEvent, WorkEvent } from '../../contract/work-events.ts';

/**
 * Returns a function that turns a worker's events into messages for an operator of several workers: which batch this
 * worker starts to work on, and how that ended; undefined for events without a message.
 *
 * A worker works on its lane of a batch in slices of some minutes. A batch whose slices end at once with no row done,
 * for example because it is paused, is reported once until rows are done here again. Work on a batch that the ledger
 * lacks is reported once for each of the first batches.
 */
export function laneMessages(): (event: WorkEvent) => string | undefined {
  const fruitless = new Set<string>();
  const missing = new Set<string>();
  return (event) => {
    if (event.type === 'note' && event.what === 'batch-missing') {
      const { batch = '' } = event;
      if (missing.has(batch) || missing.size >= MAX_MISSING) return undefined;
      missing.add(batch);
      return missingLine(batch);
    }
    if (event.type !== 'lane') return undefined;
    const { lane = 0, batch, rows = 0 } = event;
    if (event.is === 'more' && rows === 0) {
      fruitless.add(batch);
      return undefined;
    }
    if (event.is === 'taken' && fruitless.has(batch)) return undefined;
    fruitless.delete(batch);
    return event.is === 'claimed' ? undefined : `Batch "${batch}", lane ${String(lane)}: ${WORDS[event.is](rows)}.`;
  };
}

/** Limits for names that the ledger lacks: anybody who reaches the server can invent many, of any length. */
const MAX_MISSING = 20;
const MAX_NAME_LENGTH = 100;

function missingLine(batch: string): string {
  const name = JSON.stringify(batch.length > MAX_NAME_LENGTH ? `${batch.slice(0, MAX_NAME_LENGTH)}…` : batch);
  return (
    `Temporal gives this worker work on batch ${name}, which its ledger does not have: workers of another database take ` +
    'work from the same server and namespace, such as those of a former or restored one. Nothing is sent here. If this is ' +
    "the wrong database, or a trial with a copy of it, end this worker: it keeps work from the others'."
  );
}

const WORDS: Readonly<Record<Exclude<LaneEvent['is'], 'claimed'>, (rows: number) => string>> = {
  taken: () => 'work begins here',
  more: (rows) => `its slice ended here after ${counted(rows)} done; it is offered again`,
  idle: (rows) => `work ended here after ${counted(rows)} done`,
  failed: (rows) => `it failed here after ${counted(rows)} done; it is offered again`,
};

function counted(rows: number): string {
  return rows === 1 ? '1 row' : `${String(rows)} rows`;
}
