import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import type { FreeReads } from '../../batches/free-reads.ts';
import { remainingAfter, settle, type Remaining } from '../../batches/reconcile/settle.ts';
import type { SettledRow } from '../../batches/reconcile/decisions.ts';
import {
  planSettlement,
  type RequestFault,
  type SettlementPlan,
  type SettlementRequest,
} from '../../batches/reconcile/settlement-request.ts';
import { listLostVoices, listOrphans } from '../../batches/reconcile/unclaimed.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import { chosenRows, rulesOf } from '../../batches/redrive/selection.ts';
import { defined } from '../../contract/defined.ts';
import type { NamedRow } from '../../contract/row-parts.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { freeReadsOf, newIdentity } from '../../worker/dependencies.ts';
import { logEvents } from '../../worker/log-events.ts';
import { checkSettlement } from '../check-options.ts';
import { realmOf, requireSameRealm } from '../open-api.ts';
import { byPerson } from '../history/by-person.ts';
import type { Confirm } from '../person.ts';
import { redrivePlanned } from '../redrive/redrive.ts';
import { isUnasked } from '../person.ts';
import { type RedriveFacts } from '../redrive/redrive-options.ts';
import { type PaidEnd, type RedriveEvent, type RedrivePerson, type RedriveTerms } from '../redrive/redrive-options.ts';
import { refuseLoading } from '../problem.ts';
import { claimOut, requireOwnOut, requireRemembered } from '../look/claim-out.ts';
import type { Session } from '../session.ts';
import { requireOwnServer } from '../temporal/own-server.ts';
import { voxbatchVersion } from '../version.ts';
import { openLog } from '../work/worker-log.ts';

/** What to settle in a batch. Without any of these, all unknown rows are looked up. Only `resubmit` spends money. */
export interface ReconcileOptions extends SettlementRequest {
  /** Folder of the batch's files. Default `out/NAME`. */
  readonly out?: string;
  /** Why, for the record. */
  readonly reason?: string;
  /**
   * Called before the rows of `resubmit` are paid for again. Default: refuses a bill above the configuration's
   * `confirmAbove` and pays any other.
   */
  readonly confirm?: Confirm<RedriveFacts>;
}

/** A row's outcome: settled, or resubmitted. */
export type ReconciledRow = SettledRow | (NamedRow & { readonly jobId: string | null; readonly type: 'resubmitted' });

/** API jobs that belong to no row; `unreadable`: the API's lists could not be read, so nothing is known. */
export type OrphanList = Awaited<ReturnType<typeof listOrphans>>;

/** Voices that rows' lost requests may have created; `unreadable`: the list could not be read. */
export type LostVoices = Awaited<ReturnType<typeof listLostVoices>>;

/** The outcome of each row, and the API's jobs and voices that belong to no row. */
export interface Reconciled {
  readonly rows: readonly ReconciledRow[];
  readonly orphans: OrphanList;
  readonly voices: LostVoices;
}

/** Events while rows are settled: each row, then the API's unclaimed jobs and voices, then the rows sent again. */
export type ReconcileEvent =
  | { readonly type: 'settled'; readonly row: SettledRow }
  /** `again`: rows to pay for again if no trace of them was found. */
  | ({ readonly type: 'listed'; readonly rows: readonly SettledRow[]; readonly again: readonly number[] } & Pick<
      Reconciled,
      'orphans' | 'voices'
    >)
  | RedriveEvent;

/**
 * Result of a reconciliation. `open`: the batch needs a worker. `settled`: no work is left. In the other cases, the
 * rows of `resubmit` were not sent again, but whatever could be settled still was. After a {@link RequestFault}, or if
 * nobody can be asked (`unasked`), nothing was changed.
 */
export type ReconcileEnd =
  | (Reconciled & { readonly type: 'open'; readonly paid?: Extract<PaidEnd, { readonly type: 'open' | 'finished' }> })
  | (Reconciled & { readonly type: 'settled'; readonly changed: Remaining['changed'] })
  | (Reconciled & Exclude<PaidEnd, { readonly type: 'open' | 'finished' }>)
  /** This many requests may be charged a second time. That needs a person's consent, and nobody can be asked. */
  | { readonly type: 'unconfirmed'; readonly requests: number }
  | RequestFault;

/**
 * Settles rows whose answer was lost, by evidence or by a person's decision. This process reads from the API as a
 * worker does, but sends nothing and starts no workflow. Throws {@link VoxbatchError} (`bad-option`, `loading`, a
 * session's errors, `other-realm`, `taken-out`, `forgotten-requests`, those of {@link requireOwnServer}), in which case nothing was changed.
 */
export async function reconcile(
  session: Session,
  batch: BatchRecord,
  request: SettlementRequest & RedriveTerms,
  person: RedrivePerson,
  tell: (event: ReconcileEvent) => void = () => undefined,
): Promise<ReconcileEnd> {
  checkSettlement(request);
  refuseLoading(batch);
  const ledger = await session.ledger();
  const plan = await planSettlement(ledger, batch, request);
  if (plan.type !== 'found') return plan;
  const { again } = plan;
  if (again.length > 0 && isUnasked(person)) return { type: 'unconfirmed', requests: again.length };
  const out = resolve(request.out ?? defaultOut(batch.name));
  requireSameRealm(batch, await session.api());
  await requireOwnOut(out, batch, ledger);
  // What goes on with the batch would send its other rows, too. After an accepted copy, it waits for a person.
  const isHeld = batch.control === 'paused' && batch.pauseReason === null;
  if (batch.state === 'open' && !isHeld) await requireRemembered(out, batch, ledger);
  // Settled rows may go on, and cost.
  if (hasRows(plan)) await requireOwnServer(session.settings, ledger);
  const reads = await readsOf(session);
  const rows: SettledRow[] = [];
  for await (const row of settle({ ledger, reads, batch, by: byPerson(session.settings, request.reason) }, plan)) {
    rows.push(row);
    tell({ type: 'settled', row });
  }
  const lost = rows.flatMap(({ type, row }) => (type === 'still-unknown' ? row : []));
  const orphans = await listOrphans(ledger, reads, batch.name);
  const found = { rows, orphans, voices: await listLostVoices(ledger, reads, batch, lost) };
  tell({ type: 'listed', ...found, again });
  const { toPay, changed } = remainingAfter(rows, plan);
  if (toPay.length > 0) {
    const paidRows = chosenRows(ledger, batch.name, { rows: toPay });
    const draft = await draftRedrive(ledger, batch, paidRows, rulesOf({ resubmit: true }));
    const planned = { draft, rows: paidRows, fileSha256: null };
    const paid = await redrivePlanned(session, batch, planned, { ...request, out }, person, tell);
    if (paid.type !== 'open' && paid.type !== 'finished') return { ...paid, ...found };
    return { type: 'open', ...found, rows: rows.map((row) => resubmittedIf(toPay, row)), paid };
  }
  if (changed !== 'rows') return { type: 'settled', changed, ...found };
  await claimOut(out, batch, ledger);
  return { type: 'open', ...found };
}

function hasRows({ adoptions, releases, notCharged, lookFor }: SettlementPlan): boolean {
  return [adoptions, releases, notCharged, lookFor].some((rows) => rows.length > 0);
}

/** The row, marked as resubmitted if it was paid for again. */
function resubmittedIf(paid: readonly number[], row: SettledRow): ReconciledRow {
  if (!paid.includes(row.row)) return row;
  const { partOf, jobId } = row;
  return { row: row.row, id: row.id, ...defined({ partOf }), jobId, type: 'resubmitted' };
}

async function readsOf(session: Session): Promise<FreeReads> {
  const [ledger, store, open] = [await session.ledger(), await session.store(), await session.api()];
  return freeReadsOf({
    ledger,
    store,
    api: open.api,
    realm: { ...realmOf(open), ledgerId: ledger.id },
    owner: newIdentity(),
    observe: logEvents(openLog(session.settings.home)),
    voxbatchVersion: voxbatchVersion(),
    onFault: (fault) => {
      throw fault;
    },
  });
}
