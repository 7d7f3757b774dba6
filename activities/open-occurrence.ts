import { createMediaFetch } from '../api/create-media-fetch.ts';
import { fetchFile } from '../api/fetch-file.ts';
import { readVoicesIn } from '../api/read-voices.ts';
import { ApiError } from '../api/speech-api.ts';
import { openOccurrence as open } from '../batches/open-occurrence.ts';
import type { OccurrenceOffer, OccurrenceStart } from '../contract/activities.ts';
import { batchWorkflowId } from '../contract/names.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Makes the current manifest of a schedule the batch of an occurrence, or finds that batch. Records the occurrence as
 * running, or as failed or skipped with its reason. Can be repeated; see `batches/open-occurrence.ts`.
 */
export async function openOccurrence(deps: Dependencies, offer: OccurrenceOffer): Promise<OccurrenceStart> {
  const { ledger, realm, log, voxbatchVersion } = deps;
  const { schedule, at, run, month, catchUpMs, waitedMs = 0 } = offer;
  const occurrence = { schedule, at };
  await ledger.beginOccurrence(occurrence);
  const opened = await open({
    ledger,
    realm,
    occurrence,
    run,
    month,
    wait: { waitedMs, catchUpMs },
    readBalance: () => readBalance(deps),
    identify: (urls) => deps.media.of(urls),
    readVoices: (wanted, dialect) => readVoicesIn(deps.api, dialect, wanted),
    fetch: createMediaFetch(realm.apiUrl),
    fetchManifest: (url, receive) => fetchFile(url, receive, { userAgent: `voxbatch/${voxbatchVersion}` }),
  });
  if (opened.type !== 'opened') {
    const { type, reason } = opened;
    log.warn({ schedule, at: new Date(at).toISOString(), reason }, 'no batch for an occurrence');
    const end =
      type === 'refused' ? ({ type: 'failed', exit: null } as const) : ({ type, cause: opened.cause } as const);
    await ledger.endOccurrence(occurrence, { ...end, reason });
    return opened;
  }
  const { batch, out, etag } = opened;
  // Nothing was read of a batch that was there.
  if (opened.isNew) await ledger.noteManifest(occurrence, etag ?? null);
  const workflowId = batchWorkflowId(realm.ledgerId, batch.name);
  return { type: 'opened', batch: batch.name, out, workflowId, isClosed: batch.state === 'closed' };
}

/** An unreadable balance stops nothing: without credits, or with a bad token, the batch pauses and says so. */
async function readBalance({ api }: Pick<Dependencies, 'api'>): Promise<number | null> {
  try {
    return (await api.readProfile()).quotaRemaining ?? null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
