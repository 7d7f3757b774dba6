/**
 * A process that works on rows of a ledger, started by `on-postgres.ts`. Warms up, sends `ready`, waits for a message,
 * works, sends a {@link WorkDone}, and ends after another message.
 */
import { once } from 'node:events';
import { openLedger } from '../../ledger/open-ledger.ts';
import { workOnRows } from './work-on-rows.ts';

/** The task of the process, passed as JSON in its first argument. `place`: path or URL of the ledger. */
export interface WorkOrder {
  readonly place: string;
  readonly batch: string;
  readonly lane: number;
  readonly warmUp: number;
  readonly rows: number;
}

/** What the process has done. */
export interface WorkDone {
  readonly rows: number;
  readonly cpuMs: number;
}

const { place, batch, lane, warmUp, rows } = JSON.parse(process.argv[2] ?? '') as WorkOrder;
const ledger = await openLedger(place);
const own = { batch, lane, run: 'r', owner: `worker ${String(lane)}` };
await workOnRows(ledger, own, warmUp);
process.send?.('ready');
await once(process, 'message');
const before = process.cpuUsage();
const done = await workOnRows(ledger, own, rows);
const { user, system } = process.cpuUsage(before);
process.send?.({ rows: done, cpuMs: (user + system) / 1_000 } satisfies WorkDone);
// The parent measures the server first: the CPU time of a session is gone once it ends.
await once(process, 'message');
await ledger.close();
process.disconnect();
