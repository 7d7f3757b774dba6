import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import type { FreeReads } from '../../batches/free-reads.ts';
import { remainingAfter, settle, type SettleContext } from '../../batches/reconcile/settle.ts';
import type { SettledRow } from '../../batches/reconcile/decisions.ts';
import {
  planSettlement,
  type SettlementPlan,
  type SettlementRequest,
} from '../../batches/reconcile/settlement-request.ts';
import { listLostVoices, listOrphans } from '../../batches/reconcile/unclaimed.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import { chosenRows, rulesOf } from '../../batches/redrive/selection.ts';
import { isPausedByPerson } from '../../batches/status/standstill.ts';
import { defined } from '../../contract/defined.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { isStoredFile } from '../../batches/reconcile/adopt-file.ts';
import { forgottenResults, joblessResults } from '../../batches/reconcile/forgotten-results.ts';
import { forgottenRequests } from '../../batches/reconcile/forgotten-requests.ts';
import { freeReadsOf, newIdentity } from '../../worker/dependencies.ts';
import { logEvents } from '../../worker/event-log.ts';
import { checkSettlement } from '../check-options.ts';
import { realmOf, requireSameRealm } from '../connect-api.ts';
import { byPerson } from '../history/by-person.ts';
import { lacksConsent } from '../person.ts';
import { redrivePlanned } from '../redrive/redrive.ts';
import type { RedrivePerson, RedriveTerms } from '../redrive/redrive-options.ts';
import { refuseLoading, VoxbatchError } from '../problem.ts';
import { claimOut, requireOwnOut, refuseForgottenRequests } from '../results/claim-out.ts';
import { forgottenRows } from '../results/forgotten-results.ts';
import type { Session } from '../session.ts';
import { requireOwnServer } from '../temporal/require-server.ts';
import { voxbatchVersion } from '../version.ts';
import { openLog } from '../work/worker-log.ts';
import type { Reconciled, ReconcileEnd, ReconcileEvent, ReconciledRow } from './reconcile-options.ts';

/**
 * Settles rows whose answer was lost, by evidence or by a person's decision. This process reads from the API as a
 * worker does, but sends nothing and starts no workflow. Returns, before anything is changed, a fault of the request,
 * or `unconfirmed` if it needs a person's consent and nobody can be asked. Otherwise, once the rows are settled:
 * `settled` if no work is left; `open` if the batch needs a worker, because rows are open again or are to be paid for
 * again; or why the rows of `resubmit` are not (the ends of {@link redrivePlanned}). Throws {@link VoxbatchError}
 * (`bad-option`, `loading`, a session's errors, `other-realm`, `taken-out`, `forgotten-requests`, `unread-receipts`,
 * `forgotten-results`, those of {@link requireOwnServer}), in which case nothing was changed.
 */
export async function reconcile(
  session: Session,
  batch: BatchRecord,
  request: SettlementRequest & RedriveTerms,
  person: RedrivePerson,
  onEvent: (event: ReconcileEvent) => void = () => undefined,
): Promise<ReconcileEnd> {
  checkSettlement(request);
  refuseLoading(batch);
  const ledger = await session.ledger();
  const plan = await planSettlement(ledger, batch, request);
  if (plan.type !== 'found') return plan;
  const payAgain = plan.again.length;
  if (payAgain > 0 && lacksConsent(person)) return { type: 'unconfirmed', requests: payAgain };
  const out = resolve(request.out ?? defaultOut(batch.name));
  requireSameRealm(batch, await session.api());
  await requireOwnOut(out, batch, ledger);
  // Continuing the batch would send its other rows, too, and later steps of the settled ones: those may have been sent
  // already, by a ledger that this one is an older copy of.
  if ((batch.state === 'open' || hasRows(plan)) && !(await sendsNothing(batch, ledger)))
    await refuseForgottenRequests(out, batch, ledger);
  // Settled rows may continue with later steps, which cost.
  if (hasRows(plan)) await requireOwnServer(session.settings, ledger);
  await refuseSendingForgotten(session, batch, plan);
  const [reads, store] = [await readsOf(session), await session.store()];
  const by = byPerson(session.settings, request.reason);
  const found = await settleRows({ ledger, reads, store, batch, by }, plan, out, onEvent);
  const { rows, forgotten } = found;
  const { toPay, changed } = remainingAfter(rows, plan);
  if (toPay.length > 0) {
    const paidRows = chosenRows(ledger, batch.name, { rows: toPay });
    const draft = await draftRedrive(ledger, batch, paidRows, rulesOf({ resubmit: true }));
    const planned = { draft, rows: paidRows, fileSha256: null };
    const paid = await redrivePlanned(session, batch, planned, { ...request, out }, person, onEvent);
    if (paid.type !== 'open' && paid.type !== 'finished') return { ...paid, ...found };
    return { type: 'open', ...found, rows: rows.map((row) => resubmittedIf(toPay, row)), paid };
  }
  // No row is open again. Work is left only if the ledger lacks requests that are on receipts, and they may be later
  // steps of jobs that still run: once their results are fetched, a person can give the rows these requests.
  if (changed !== 'rows') {
    if (forgotten === undefined || !(await hasJobsWhilePaused(batch, ledger)))
      return { type: 'settled', changed, ...found };
    await requireOwnServer(session.settings, ledger);
  }
  await claimOut(out, batch, ledger);
  return { type: 'open', ...found };
}

/**
 * Settles the rows of a plan, with an event for each, and then lists what belongs to no row: the API's jobs
 * (`orphans`), voices that lost requests may have made, requests on receipts in `out` that the ledger lacks
 * (`forgotten`), and results in the store that no row has (`stored`).
 */
async function settleRows(
  context: SettleContext,
  plan: SettlementPlan,
  out: string,
  onEvent: (event: ReconcileEvent) => void,
): Promise<Omit<Reconciled, 'rows'> & { readonly rows: readonly SettledRow[] }> {
  const { ledger, reads, store, batch } = context;
  const rows: SettledRow[] = [];
  for await (const row of settle(context, plan)) {
    rows.push(row);
    onEvent({ type: 'settled', row });
  }
  const unknown = rows.flatMap(({ type, row }) => (type === 'still-unknown' ? row : []));
  const forgotten = await forgottenRequests(out, batch.name, ledger);
  const orphans = await listOrphans(ledger, reads, batch.name, forgotten?.named);
  const voices = await listLostVoices(ledger, reads, batch, unknown);
  const stored = [
    ...(await forgottenResults(ledger, store, batch)),
    ...(await joblessResults(ledger, store, batch, forgotten?.jobless ?? [])),
  ];
  const found = { rows, orphans, voices, forgotten, stored };
  onEvent({ type: 'listed', ...found, again: plan.again });
  return found;
}

/**
 * Refuses jobs whose rows would go on with a step whose result the store has. Throws {@link VoxbatchError}
 * (`forgotten-results`).
 */
async function refuseSendingForgotten(
  session: Session,
  batch: BatchRecord,
  { adoptions }: SettlementPlan,
): Promise<void> {
  const ledger = await session.ledger();
  const rows = adoptions.flatMap(({ row, jobId }) => (isStoredFile(jobId) ? [] : [row]));
  if (rows.length === 0 || (await sendsNothing(batch, ledger))) return;
  const stored = await forgottenRows(session.settings, ledger, batch);
  const lacking = rows.flatMap((row) => stored.get(row) ?? []).filter(({ steps }) => steps.length > 1);
  if (lacking.length > 0) throw new VoxbatchError({ type: 'forgotten-results', batch: batch.name, rows: lacking });
}

/**
 * Whether nothing is sent before a person resumes the batch. A closed batch of an accepted copy (a restored ledger) is
 * held: once rows are opened, it is paused.
 */
async function sendsNothing(batch: BatchRecord, ledger: Ledger): Promise<boolean> {
  if (batch.settings.cache === 'only') return true;
  if (batch.state === 'open') return isPausedByPerson(batch);
  return (await ledger.heldBatches()).some((held) => held.batch === batch.name);
}

/** Whether jobs of a paused batch run: their results are fetched, and nothing is sent. */
async function hasJobsWhilePaused(batch: BatchRecord, ledger: Ledger): Promise<boolean> {
  const { states } = await ledger.counts(batch.name);
  return isPausedByPerson(batch) && states.processing + states.fetching > 0;
}

/** Whether the plan gives jobs to rows (or takes them back), or decides or searches for their requests. */
function hasRows({ adoptions, releases, notCharged, searchFor }: SettlementPlan): boolean {
  return [adoptions, releases, notCharged, searchFor].some((rows) => rows.length > 0);
}

/** The row, marked as resubmitted if it was paid for again. */
function resubmittedIf(paid: readonly number[], row: SettledRow): ReconciledRow {
  if (!paid.includes(row.row)) return row;
  const { partOf, jobId } = row;
  return { row: row.row, id: row.id, ...defined({ partOf }), jobId, type: 'resubmitted' };
}

/** Opens the API's free reads for this process, with the same logging as a worker. */
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
