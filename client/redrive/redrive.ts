import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import { openRows } from '../../batches/redrive/redrive.ts';
import { isPausedByPerson } from '../../batches/status/standstill.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { By } from '../../contract/actions.ts';
import { byPerson } from '../history/by-person.ts';
import { approve, lacksConsent, payerOf, type NotApproved } from '../person.ts';
import type { Session } from '../session.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { allowReplacing } from '../../results/redrive/edited-tables.ts';
import { requireSameRealm } from '../connect-api.ts';
import { claimOut, requireOwnOut, refuseForgottenRequests } from '../results/claim-out.ts';
import { refuseForgottenResults } from '../results/forgotten-results.ts';
import { requireOwnServer } from '../temporal/require-server.ts';
import { requirePort } from '../webhooks/webhook-listener.ts';
import type {
  RedriveRequest,
  OnRedriveEvent,
  RedrivePerson,
  RedriveEnd,
  RedriveFacts,
  RedriveTerms,
  PaidEnd,
} from './redrive-options.ts';
import { confirmAboveOf, isDoubtful, redriveFacts, withPlan, type RedrivePlan } from './plan-redrive.ts';

/**
 * Selects the rows and reopens them once their bill is approved. Sends nothing. Throws {@link VoxbatchError}
 * (`bad-option`, `loading`, `cleaned`, and those of {@link redrivePlanned}).
 */
export async function redrive(
  session: Session,
  batch: BatchRecord,
  request: RedriveRequest,
  person: RedrivePerson,
  onEvent: OnRedriveEvent = () => undefined,
): Promise<RedriveEnd> {
  return withPlan<RedriveEnd>(session, batch, request, { onEvent, isPreview: false }, (plan) =>
    redrivePlanned(session, batch, plan, request, person, onEvent),
  );
}

/**
 * Opens a plan's rows in the ledger if the spending rules and the person allow it, and claims the out folder for the
 * batch. Sends nothing. The result `open` needs a worker, `finished` does not; of the others, only `not-opened` may
 * have changed anything. A repeated single job counts as approved (`isExplicit`), because its command names exactly
 * this request. Throws {@link VoxbatchError} (those of opening the API, `other-realm`, `unwritable-out`, `taken-out`,
 * `forgotten-requests`, `no-webhook-port`, those of {@link requireOwnServer} and {@link refuseForgottenResults}).
 */
export async function redrivePlanned(
  session: Session,
  batch: BatchRecord,
  plan: RedrivePlan,
  terms: RedriveTerms,
  person: RedrivePerson,
  onEvent: OnRedriveEvent,
): Promise<PaidEnd> {
  // Callers see the draft as a forecast: what would become of the rows, and its price.
  const { draft: forecast } = plan;
  const { tuning = {}, isExplicit = false } = terms;
  if (forecast.refusal !== undefined) return { type: forecast.refusal, forecast };
  onEvent({ type: 'planned', forecast });
  if (forecast.replaced > 0 && !isExplicit && lacksConsent(person)) return { type: 'unasked', forecast };
  const ledger = await session.ledger();
  const out = terms.out === null ? null : resolve(terms.out ?? defaultOut(batch.name));
  const credits = forecast.paying > 0 ? forecast.bill.quoted : undefined;
  const by = { ...byPerson(session.settings, terms.reason), credits };
  const openAs = (type: 'finished' | 'open'): Promise<PaidEnd> =>
    openAll(ledger, batch, plan, { out, type, by, onEvent });
  // Another command may have reopened the batch since it was looked up: then its rows can no longer be selected, but
  // they need a worker.
  const now = (await ledger.findBatch(batch.name)) ?? batch;
  const isClosed = now.state === 'closed';
  const hasNoRows = forecast.count === 0;
  // `isSettling`: the redrive is complete once recorded, for example if results are only accepted. Otherwise, and while
  // the batch is at work, other rows may be sent along.
  const isSettled = forecast.isSettling && (isClosed || isPausedByPerson(now));
  const sendsNothing = isSettled || (hasNoRows && isClosed);
  // The ledger may be an older copy, which lacks paid requests that the out folder shows.
  if (out !== null && !sendsNothing) await refuseForgottenRequests(out, batch, ledger, forecast.resubmitted > 0);
  if (hasNoRows && isClosed) {
    if (out !== null) await requireOwnOut(out, batch, ledger);
    return openAs('finished');
  }
  if (out !== null) await claimOut(out, batch, ledger);
  if (forecast.isSettling && isClosed) return openAs('finished');
  const api = await session.api();
  // Checked before rows are opened: with the wrong store, nobody could work on them.
  await session.store();
  requireSameRealm(batch, api);
  // Otherwise workers elsewhere would pay for the opened rows although this command fails.
  await requireOwnServer(session.settings, ledger);
  // The same redrive may have opened all rows before it was killed; it then continues with them.
  if (hasNoRows) return openAs('open');
  await requirePort(terms.webhook, api, ledger);
  await refuseForgottenResults(session.settings, ledger, now, tuning, { opensLeftOut: false });
  const refused = await approveBill(session, batch, forecast, terms, person);
  if (refused !== undefined) return refused;
  if (Object.keys(tuning).length > 0) await ledger.tune(batch.name, tuning, by);
  return openAs('open');
}

/** Approves the bill of a redrive by the spending rules and the person. Undefined if it may be paid, or is free. */
async function approveBill(
  session: Session,
  batch: BatchRecord,
  forecast: RedrivePlan['draft'],
  terms: RedriveTerms,
  person: RedrivePerson,
): Promise<NotApproved<RedriveFacts> | undefined> {
  const { tuning = {}, isExplicit = false } = terms;
  // With the cache mode `only`, a single job sends nothing, so it has no bill. A batch's rows do: they stay open, and a
  // later change of the mode sends them without asking.
  const isFree = isExplicit && tuning.cache === 'only';
  if (forecast.paying === 0 || isFree) return undefined;
  const payer = payerOf(person, await session.api(), confirmAboveOf(session, terms));
  const facts = await redriveFacts(await session.ledger(), batch, forecast, tuning, payer);
  return approve(facts, person, !isExplicit && isDoubtful(forecast));
}

const NONE_OPENED = { type: 'opened', opened: 0, movedOn: 0 } as const;

/**
 * Opens all rows. Once all edits of an edited file are in the ledger, the batch's files may replace it: no row had
 * changed meanwhile (`movedOn`), no edit was of a column that no step reads (`untaken`), and none was left out.
 *
 * @param type the type of the result if all goes well
 */
async function openAll(
  ledger: Ledger,
  batch: BatchRecord,
  { draft: forecast, rows, fileSha256 }: RedrivePlan,
  { out, type, by, onEvent }: { out: string | null; type: 'finished' | 'open'; by: By; onEvent: OnRedriveEvent },
): Promise<PaidEnd> {
  if (forecast.count > 0) onEvent({ type: 'opening', batch: batch.name });
  const opened = forecast.count === 0 ? NONE_OPENED : await openRows(ledger, batch.name, forecast, rows, by);
  if (opened.type === 'refused') return { ...opened, type: 'not-opened' };
  const { untaken, leftEdited } = forecast;
  if (out !== null && fileSha256 !== null && opened.movedOn + untaken + leftEdited === 0)
    await allowReplacing(out, [fileSha256]);
  return { ...opened, type, forecast };
}
