/** A process that works on rows of a ledger, for `on-postgres.ts`: warms up, says so, and works when it is told to. */
import { once } from 'node:events';
import { openLedger } from '../../ledger/open-ledger.ts';
import { workOnRows } from './work-on-rows.ts';

/** What the process is to do. */
export interface WorkOrder {
  readonly place: string;
  readonly batch: string;
  readonly lane: number;
  readonly warmUp: number;
  readonly rows: number;
}

/** What it has done. */
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
// Until the server's part was measured: a session that ends takes its figures along.
await once(process, 'message');
await ledger.close();
process.disconnect();
