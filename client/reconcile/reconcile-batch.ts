import { chosenRows, type FoundRows } from '../../batches/redrive/selection.ts';
import type { FreeReads } from '../../batches/free-reads.ts';
import { listLostVoices, listOrphans } from '../../batches/reconcile/unclaimed.ts';
import type { NamedRow } from '../../contract/named-row.ts';
import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import type { SettledRow } from '../../batches/reconcile/settled-row.ts';
import { settle } from '../../batches/reconcile/settle.ts';
import type { SettlementPlan } from '../../batches/reconcile/settlement-request.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { newIdentity } from '../../worker/dependencies.ts';
import { freeReadsOf } from '../../worker/free-reads.ts';
import { openLog } from '../work/embedded-worker.ts';
import { realmOf, requireSameRealm } from '../open-api.ts';
import { requireOwnOut } from '../run/out-folder.ts';
import type { Session } from '../session.ts';
import { whoAsks } from '../../batches/who-asks.ts';
import { voxbatchVersion } from '../version.ts';

/** What became of a row: it was settled, or is sent again. */
export type ReconciledRow = SettledRow | (NamedRow & { readonly jobId: string | null; readonly type: 'resubmitted' });

/** The jobs of the API that no row has; `unreadable`: its lists could not be read, so nothing is known. */
export type OrphanList = Awaited<ReturnType<typeof listOrphans>>;

/** Voices that rows may have made; `unreadable`: the list could not be read. */
export type LostVoices = Awaited<ReturnType<typeof listLostVoices>>;

/** A reconcile in progress: rows as they are settled, then the jobs that no row has, and voices that may be theirs. */
export interface Reconciling {
  readonly rows: AsyncGenerator<SettledRow, void, undefined>;
  readonly orphans: () => Promise<OrphanList>;
  /** The voices that these rows' lost requests may have made. */
  readonly lostVoices: (rows: readonly number[]) => Promise<LostVoices>;
}

/**
 * Begins to settle rows: this process reads as a worker does, but sends nothing and starts no workflow. `out`: folder
 * of the batch's files. Throws {@link VoxbatchError} (all that a session throws, `other-realm`, `taken-out`); then
 * nothing was changed.
 */
export async function reconcileBatch(
  session: Session,
  { batch, order, out }: { readonly batch: BatchRecord; readonly order: SettlementPlan; readonly out: string },
): Promise<Reconciling> {
  const [ledger, open] = [await session.ledger(), await session.api()];
  requireSameRealm(batch, open);
  await requireOwnOut(out, batch, ledger);
  const reads = await readsOf(session);
  return {
    rows: settle({ ledger, reads, batch, who: whoAsks() }, order),
    orphans: () => listOrphans(ledger, reads, batch.name),
    lostVoices: (rows) => listLostVoices(ledger, reads, batch, rows),
  };
}

/** Drafts a second payment for unknown rows. Changes nothing. */
export async function draftResubmit(
  ledger: Ledger,
  batch: BatchRecord,
  again: readonly number[],
): Promise<{ readonly draft: RedriveDraft; readonly rows: FoundRows }> {
  const rules = { step: null, resubmit: true, replace: false, accept: false, asksForOverdue: false };
  const rows = chosenRows(ledger, batch.name, { rows: again });
  return { draft: await draftRedrive(ledger, batch, rows, rules), rows };
}

async function readsOf(session: Session): Promise<FreeReads> {
  const [ledger, store, open] = [await session.ledger(), await session.store(), await session.api()];
  return freeReadsOf({
    ledger,
    store,
    api: open.api,
    realm: { ...realmOf(open), ledgerId: ledger.id },
    owner: newIdentity(),
    log: openLog(session.settings.home),
    voxbatchVersion: voxbatchVersion(),
    onFault: (fault) => {
      throw fault;
    },
  });
}
