import { bySchedule } from '../../contract/actions.ts';
import { defined } from '../../contract/defined.ts';
import type { SkipCause } from '../../contract/schedule.ts';
import type { Realm } from '../../contract/names.ts';
import { openManifestFile, type ManifestSource } from '../../inputs/manifest-source.ts';
import { labelOfPlace, type FetchManifest } from '../../inputs/manifest-place.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { ManifestError, type ManifestProblem } from '../../contract/manifest-problems.ts';
import { checkManifest } from '../../inputs/read-manifest.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import { MonthUsedUp } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchIdentity, BatchRecord } from '../../ledger/batches/batch-records.ts';
import { formatOccurrence, type Occurrence } from '../../policy/schedules/occurrence.ts';
import { linkWords } from '../../results/errors.ts';
import type { FiringTerms } from './admit-firing.ts';
import { checkVoices, type ReadVoices } from '../voices/check-voices.ts';
import type { BatchChoices } from '../batch-settings.ts';
import { findOrLoadBatch } from '../load-batch.ts';
import { claimOut, probeOut, ownershipOf } from '../out-folder.ts';
import type { IdentifyMedia } from '../cache/media-identities.ts';
import { priceNew, type PricedManifest } from '../plan/price.ts';
import { findUnknownFolders, type UnknownFolder } from '../reconcile/unknown-folders.ts';
import type { Store } from '../../store/store.ts';
import { choicesOf } from './scheduled-choices.ts';
import { approveOccurrence, skippedFor } from './approve-occurrence.ts';

/** A firing that was admitted, to turn into a batch. */
export interface OccurrenceRequest extends FiringTerms {
  readonly ledger: Ledger;
  readonly store: Pick<Store, 'folders' | 'list'>;
  readonly realm: Realm;
  readonly occurrence: Occurrence;
  /** Reads the account's credits; null if the API does not say. */
  readonly readBalance: () => Promise<number | null>;
  /** Fetches a manifest from a URL. */
  readonly fetchManifest: FetchManifest;
  /** Identifies the media behind links, so that results that exist already cost nothing. */
  readonly identify: IdentifyMedia;
  readonly readVoices: ReadVoices;
}

/**
 * The batch of an occurrence, or why there is none; nothing was spent in that case. `etag`: of a manifest fetched from
 * a URL. `skipped`: the month's budget is used up.
 */
export type OpenedOccurrence =
  | {
      readonly type: 'opened';
      readonly batch: BatchRecord;
      /** True if the batch was made by this call, from the current manifest. */
      readonly isNew: boolean;
      readonly etag?: string | null;
    }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'skipped'; readonly cause: SkipCause; readonly reason: string };

/** Reads a schedule's current manifest and makes it the batch of an occurrence that has none. Sends no paid request. */
export async function openOccurrence(request: OccurrenceRequest): Promise<OpenedOccurrence> {
  const { occurrence, run, month } = request;
  try {
    const source = await openManifestFile(run.manifest, request.fetchManifest, run);
    try {
      return await load({ ...request, source });
    } finally {
      await source.close();
    }
  } catch (error) {
    if (error instanceof MonthUsedUp && month !== null) return skippedFor(error.spend, { ...occurrence, ...month });
    if (!(error instanceof ManifestError)) throw error;
    if (error.problems[0] !== undefined) return refused(withoutCells(error.problems, run));
    return refused(missingWords(error, occurrence) ?? error.message);
  }
}

/** Explains a manifest that can no longer be read; undefined for any other error. */
function missingWords({ missing }: ManifestError, { schedule }: OccurrenceRequest['occurrence']): string | undefined {
  if (missing === undefined) return undefined;
  const { given, why } = missing;
  return `cannot read the manifest ${given}: ${why}. Each firing reads it anew. Once the file is there, \`voxbatch schedule trigger ${shellWord(schedule)}\` makes up for this one`;
}

interface LoadRequest extends OccurrenceRequest {
  readonly source: ManifestSource;
}

/** Prices and approves the manifest, then loads it as a batch and claims its out folder. */
async function load(request: LoadRequest): Promise<OpenedOccurrence> {
  const { ledger, realm, run, out, source, occurrence } = request;
  const name = formatOccurrence(occurrence);
  const choices = choicesOf(run);
  const settings = { ...choices.settings, ...(await ledger.scheduleHooks(occurrence.schedule)) };
  const priced = await price(request, { manifest: choices.manifest, settings });
  if (priced.type !== 'priced') return priced;
  const { summary, options } = priced.checked;
  const approval = await approveOccurrence({ ...request, summary, settings, confirmAbove: run.confirmAbove });
  if (approval.type !== 'go') return approval.type === 'skipped' ? approval : refused(approval.reason);
  const identity = { name, digest: summary.digest ?? '', apiUrl: realm.apiUrl, account: realm.account };
  const unusable = await whyUnusable(out, identity, ledger);
  if (unusable !== undefined) return refused(unusable);
  const forgotten = settings.cache === 'only' ? [] : (await findUnknownFolders(ledger, request.store, name)).named;
  if (forgotten.length > 0) return refused(forgottenWords(forgotten));
  const loaded = await findOrLoadBatch({
    ledger,
    source,
    options,
    identity,
    settings,
    givesReading: true,
    givesTemplate: true,
    checked: summary,
    month: approval.month,
    by: bySchedule(occurrence.schedule),
  });
  if (loaded.type !== 'taken') await claimOut(out, loaded.batch, ledger);
  // If the name was taken meanwhile, another firing of this occurrence made the batch from a manifest that has changed
  // since. It still is this occurrence's batch.
  return { type: 'opened', batch: loaded.batch, isNew: loaded.type === 'new', ...defined({ etag: source.etag }) };
}

type Refused = Extract<OpenedOccurrence, { readonly type: 'refused' }>;

/** Checks the manifest, and prices the rows that it would send. */
async function price(request: LoadRequest, { manifest, settings }: BatchChoices): Promise<PricedManifest | Refused> {
  const { ledger, realm, run, source } = request;
  // Limits that the API's refusals have revealed.
  const learnt = await ledger.textLimits(realm.apiUrl, realm.account);
  const options = { ...manifest, textLimits: { ...learnt, ...manifest.textLimits } };
  const checked = await checkManifest(source, options, settings.budget);
  if (checked.type === 'outcome-file') {
    return refused(`${source.label} is an outcome file of batch "${checked.batch}"; a schedule takes a manifest`);
  }
  if (checked.type === 'faulty')
    return refused(withoutCells(checked.summary.problems, run, checked.summary.problemCount));
  const priced = await priceNew({
    ...request,
    checked,
    settings,
    account: realm,
    apiUrl: realm.apiUrl,
    probe: run.probe,
    voices: () => checkVoices(checked, request.readVoices, { warns: false }),
  });
  if (priced.type === 'unread')
    return refused(
      `the manifest names voices, and the list of voices cannot be read: ${priced.why} Nothing was spent.`,
    );
  if (priced.type === 'faulty') return refused(withoutCells(priced.summary.problems, run, priced.summary.problemCount));
  return priced;
}

/** Returns why the batch's files must not be written to the out folder; undefined if they may. */
async function whyUnusable(out: string, identity: BatchIdentity, ledger: Ledger): Promise<string | undefined> {
  const folder = await probeOut(out, identity.name);
  if (folder.type === 'unwritable') return `the output folder ${out} cannot be written: ${String(folder.cause)}`;
  const ownership = folder.type === 'linked' ? folder : await ownershipOf(out, identity, ledger);
  switch (ownership.type) {
    case 'own':
    case 'free':
      return undefined;
    case 'linked':
      return linkWords(ownership.path);
    case 'taken':
      return `the output folder ${out} ${ownership.by}`;
    case 'forgotten':
      return `the output folder ${out} holds the results of this batch, which the ledger does not have on record: it is older than the folder, as after a restore from a backup. Nothing was spent.`;
  }
}

/** Says that a restored ledger lacks the occurrence's batch, which would be paid for again. */
function forgottenWords(folders: readonly UnknownFolder[]): string {
  const names = folders.map(({ folder }) => folder).join(', ');
  return `the store has results of this batch (${names}), which the ledger does not have on record: it is older, as after a restore from a backup. Nothing was spent.`;
}

/** The part of a manifest that a message quotes. */
const QUOTED = /"(?:[^"\\]|\\.)*"/gu;

/** Describes a manifest's problems without the content of its cells, because Temporal records the text. */
function withoutCells(
  problems: readonly ManifestProblem[],
  { manifest }: ScheduledRun,
  count = problems.length,
): string {
  const [first] = problems;
  const found = count === 1 ? 'a problem' : `${count} problems`;
  return `the manifest ${labelOfPlace(manifest)} has ${found}${first === undefined ? '' : placeWords(first)}. All of them: voxbatch plan`;
}

function placeWords({ file, line, expected }: ManifestProblem): string {
  const place = file === undefined ? `line ${line}` : `${file}, line ${line}`;
  return `; the first is in ${place}: expected ${expected.replaceAll(QUOTED, '…')}`;
}

/** Makes a refusal of a reason, which becomes a sentence because it is shown alone. */
function refused(reason: string): Refused {
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
  return { type: 'refused', reason: /[.!?]$/.test(sentence) ? sentence : `${sentence}. Nothing was spent.` };
}
