import type { LaneEvent, WorkEvent } from '../../contract/work-events.ts';

/** A line for whoever runs several workers: which batch this one begins to work on, and how that ended. */
export function laneLine(event: WorkEvent): string | undefined {
  if (event.type !== 'lane' || event.is === 'claimed') return undefined;
  const { lane = 0, batch, rows = 0 } = event;
  return `Batch "${batch}", lane ${String(lane)}: ${WORDS[event.is](rows)}.`;
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
