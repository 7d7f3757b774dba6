import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import type { FreeReads } from '../../batches/free-reads.ts';
import { remainingAfter, settle, type Remaining } from '../../batches/reconcile/settle.ts';
import type { SettledRow } from '../../batches/reconcile/decisions.ts';
import {
  planSettlement,
  type RequestFault,
  type SettlementRequest,
} from '../../batches/reconcile/settlement-request.ts';
import { listLostVoices, listOrphans } from '../../batches/reconcile/unclaimed.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import { chosenRows, rulesOf } from '../../batches/redrive/selection.ts';
import { whoAsks } from '../../batches/redrive/draft.ts';
import { defined } from '../../contract/defined.ts';
import type { NamedRow } from '../../contract/row-parts.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { newIdentity } from '../../worker/dependencies.ts';
import { logEvents } from '../../worker/log-events.ts';
import { freeReadsOf } from '../../worker/free-reads.ts';
import { checkSettlement } from '../check-options.ts';
import { realmOf, requireSameRealm } from '../open-api.ts';
import type { Confirm } from '../person.ts';
import {
  type RedriveFacts,
  isUnasked,
  redrivePlanned,
  type PaidEnd,
  type RedriveEvent,
  type RedrivePerson,
  type RedriveTerms,
} from '../redrive/redrive.ts';
import { refuseLoading } from '../problem.ts';
import { claimOut, requireOwnOut } from '../look/write-files.ts';
import type { Session } from '../session.ts';
import { voxbatchVersion } from '../version.ts';
import { openLog } from '../work/embedded-worker.ts';

/** What to settle in a batch. With none of these, all unknown rows are looked up. Only `resubmit` pays. */
export interface ReconcileOptions extends SettlementRequest {
  /** Folder of the batch's files. Default `out/NAME`. */
  readonly out?: string;
  /**
   * Called before the rows of `resubmit` are paid for again. Default: a bill above `confirmAbove` of the configuration
   * is refused, any other is paid.
   */
  readonly confirm?: Confirm<RedriveFacts>;
}

/** What became of a row: it was settled, or is sent again. */
export type ReconciledRow = SettledRow | (NamedRow & { readonly jobId: string | null; readonly type: 'resubmitted' });

/** The jobs of the API that no row has; `unreadable`: its lists could not be read, so nothing is known. */
export type OrphanList = Awaited<ReturnType<typeof listOrphans>>;

/** Voices that the lost requests of rows may have made; `unreadable`: the list could not be read. */
export type LostVoices = Awaited<ReturnType<typeof listLostVoices>>;

/** What became of each row, and what the API has that no row has. */
export interface Reconciled {
  readonly rows: readonly ReconciledRow[];
  readonly orphans: OrphanList;
  readonly voices: LostVoices;
}

/** What is told while rows are settled: each of them, then what the API has that no row has, then what is sent again. */
export type ReconcileEvent =
  | { readonly type: 'settled'; readonly row: SettledRow }
  /** `again`: rows that are to be paid for again if nothing was found of them. */
  | ({ readonly type: 'listed'; readonly rows: readonly SettledRow[]; readonly again: readonly number[] } & Pick<
      Reconciled,
      'orphans' | 'voices'
    >)
  | RedriveEvent;

/**
 * Result of a request. `open`: somebody has to work on the batch. `settled`: nobody has to. The others concern the rows of
 * `resubmit`: those were not sent again, and what could be settled is settled all the same. After a {@link RequestFault},
 * and where nobody can be asked (`unasked`), nothing was changed.
 */
export type ReconcileEnd =
  | (Reconciled & { readonly type: 'open'; readonly paid?: Extract<PaidEnd, { readonly type: 'open' | 'finished' }> })
  | (Reconciled & { readonly type: 'settled'; readonly changed: Remaining['changed'] })
  | (Reconciled & Exclude<PaidEnd, { readonly type: 'open' | 'finished' }>)
  /** So many requests may be charged a second time, and a person must agree to that who cannot be asked. */
  | { readonly type: 'unconfirmed'; readonly requests: number }
  | RequestFault;

/**
 * Settles rows whose answer was lost, by what can be found or by a person's word: this process reads as a worker does, but
 * sends nothing and starts no workflow. Throws {@link VoxbatchError} (`bad-option`, `loading`, all that a session throws,
 * `other-realm`, `taken-out`); then nothing was changed.
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
  const reads = await readsOf(session);
  const rows: SettledRow[] = [];
  for await (const row of settle({ ledger, reads, batch, who: whoAsks() }, plan)) {
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

/** The row, marked as sent again if it is among those that were paid for. */
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
