import { fetchFile } from '../../api/fetch-file.ts';
import { readVoicesIn } from '../../api/voices/read-voices.ts';
import { ApiError } from '../../api/speech-api.ts';
import { admitFiring, type Admission } from '../../batches/schedules/admit-firing.ts';
import { openOccurrence as open } from '../../batches/schedules/open-occurrence.ts';
import type { OccurrenceOffer, OccurrenceStart } from '../../contract/activities.ts';
import { isoTime } from '../../contract/times.ts';
import { defined } from '../../contract/defined.ts';
import { batchWorkflowId } from '../../contract/names.ts';
import type { Occurrence } from '../../policy/schedules/occurrence.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Dependencies } from '../dependencies.ts';
import { closeAgain } from './close-occurrence.ts';
import { pausesSchedule } from './pauses-schedule.ts';

/**
 * Creates an occurrence's batch from the schedule's current manifest, or finds it: an occurrence has one batch, even if
 * the manifest has changed since. Records the occurrence as running, or as failed or skipped with its reason. A firing
 * that the ledger does not allow leaves no record: it does not belong to the schedule. A failure of a due time pauses a
 * schedule with `pauseOnFailure`, but not one that was on record before this firing. Repeatable; see
 * `batches/schedules/admit-firing.ts` and `batches/schedules/open-occurrence.ts`.
 */
export async function openOccurrence(deps: Dependencies, offer: OccurrenceOffer): Promise<OccurrenceStart> {
  const { ledger, realm } = deps;
  const { schedule, at, waitedMs } = offer;
  const occurrence = { schedule, at };
  const now = deps.clock.now().wall;
  const admission = await admitFiring({ ledger, realm, occurrence, waitedMs, now });
  if (admission.type === 'refused') return reportRefused(deps, occurrence, admission);
  // No failure, which would pause a schedule with `pauseOnFailure`: Temporal also fires what was void before it began.
  if (admission.type === 'unasked')
    return reportRefused(deps, occurrence, { type: 'skipped', reason: admission.reason });
  if (admission.type === 'missed') return recordMissed(deps, occurrence, admission.reason);
  if (admission.type === 'there' && admission.wasOver) return reportOver(deps, occurrence, admission);
  const { out, trigger } = admission;
  // Another firing used this trigger first: judge this one again by the remaining allowances.
  if (!(await ledger.beginOccurrence(occurrence, defined({ out, trigger })))) return openOccurrence(deps, offer);
  if (admission.type === 'there') return reportBegun(deps, occurrence, admission.batch);
  return createBatch(deps, occurrence, admission);
}

/** Creates the batch of an admitted firing, or ends the occurrence with the reason why it has none. */
async function createBatch(
  deps: Dependencies,
  occurrence: Occurrence,
  { run, month, out }: Extract<Admission, { readonly type: 'admitted' }>,
): Promise<OccurrenceStart> {
  const { ledger, store, realm, voxbatchVersion } = deps;
  const opened = await open({
    ledger,
    store,
    realm,
    occurrence,
    run,
    month,
    out,
    readBalance: () => readBalance(deps),
    identify: (urls) => deps.media.of(urls),
    readVoices: (wanted, dialect) => readVoicesIn(deps.api, dialect, wanted),
    fetchManifest: (url, receive) => fetchFile(url, receive, { userAgent: `voxbatch/${voxbatchVersion}` }),
  });
  if (opened.type !== 'opened') {
    const { type, reason } = opened;
    const end =
      type === 'refused' ? ({ type: 'failed', exit: null } as const) : ({ type, cause: opened.cause } as const);
    await ledger.endOccurrence(occurrence, { ...end, reason }, await pausesSchedule(ledger, occurrence));
    return reportRefused(deps, occurrence, opened);
  }
  // Not new if another firing of this occurrence has just created it.
  if (opened.isNew) await ledger.noteManifest(occurrence, opened.etag ?? null);
  return reportBegun(deps, occurrence, opened.batch);
}

/**
 * Records a firing that comes too late. An existing record of its time stays, unless it is running: then this ends it.
 */
async function recordMissed(deps: Dependencies, occurrence: Occurrence, reason: string): Promise<OccurrenceStart> {
  const { ledger } = deps;
  const { schedule, at } = occurrence;
  const skipped = { type: 'skipped', cause: 'missed', reason } as const;
  if ((await ledger.findOccurrence(occurrence))?.state === 'running') await ledger.endOccurrence(occurrence, skipped);
  else await ledger.noteSkips(schedule, { skipped: [{ at, cause: 'missed', reason }], until: 0 });
  return reportRefused(deps, occurrence, skipped);
}

/** Notifies observers that the occurrence has no batch, and returns the reason to the workflow. */
function reportRefused(
  { observe }: Pick<Dependencies, 'observe'>,
  { schedule, at }: Occurrence,
  { type, reason }: Extract<OccurrenceStart, { readonly reason: string }>,
): OccurrenceStart {
  observe({
    type: 'note',
    what: 'occurrence-refused',
    error: reason,
    facts: { schedule, at: isoTime(at), is: type },
  });
  return { type, reason };
}

/**
 * Brings the files and the record of an occurrence up to date whose batch had ended before this firing began. The
 * firing ends well, whatever became of the batch: if it failed again, Temporal would pause a schedule with
 * `pauseOnFailure` that was just resumed.
 */
async function reportOver(
  deps: Dependencies,
  occurrence: Occurrence,
  { batch, out }: Extract<Admission, { readonly type: 'there' }>,
): Promise<OccurrenceStart> {
  await closeAgain(deps, { occurrence, batch, out });
  return { type: 'skipped', reason: `Batch "${batch.name}" had ended before this firing began.` };
}

/** Notifies observers that the occurrence has this batch, and returns it to the workflow. */
function reportBegun(
  { realm, observe }: Pick<Dependencies, 'realm' | 'observe'>,
  { schedule, at }: Occurrence,
  { name, state }: BatchRecord,
): OccurrenceStart {
  observe({ type: 'occurrence', is: 'begin', schedule, at: isoTime(at), batch: name });
  const workflowId = batchWorkflowId(realm.ledgerId, name);
  return { type: 'opened', batch: name, workflowId, isClosed: state === 'closed' };
}

/** An unreadable balance stops nothing: without credits, or with a bad token, the batch will pause with that reason. */
async function readBalance({ api }: Pick<Dependencies, 'api'>): Promise<number | null> {
  try {
    return (await api.readProfile()).quotaRemaining ?? null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
