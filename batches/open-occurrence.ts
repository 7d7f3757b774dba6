import { join } from 'node:path';
import { defined } from '../contract/defined.ts';
import type { SkipCause } from '../contract/schedule.ts';
import { realmDifference, type Realm } from '../contract/names.ts';
import { openManifestFile, type ManifestSource } from '../inputs/manifest-source.ts';
import { labelOfPlace, type FetchManifest } from '../inputs/manifest-url.ts';
import { ManifestError, type ManifestProblem } from '../inputs/problems.ts';
import { checkManifest, type SoundManifest } from '../inputs/read-manifest.ts';
import type { Fetch } from '../inputs/probe-media.ts';
import { parseMonthBudget, parseScheduledRun, type ScheduledRun } from '../inputs/scheduled-run.ts';
import { MonthUsedUp } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { whyTooLate } from '../policy/late-firing.ts';
import type { MonthBudget } from '../policy/month-budget.ts';
import { formatOccurrence, type Occurrence } from '../policy/occurrence.ts';
import { standingOf } from '../results/out-owner.ts';
import { approveOccurrence, skippedFor } from './approve-occurrence.ts';
import { isBatchName } from './batch-name.ts';
import { checkVoices, withVoices, type ReadVoices } from './check-voices.ts';
import { findOrLoadBatch } from './load-batch.ts';
import { claimOut, probeOut } from './out-folder.ts';
import type { IdentifyMedia } from './media-identities.ts';
import { planNew } from './plan-manifest.ts';
import { probeManifest } from './probe-manifest.ts';
import { choicesOf } from './scheduled-run.ts';

/** A firing to turn into a batch. */
export interface OccurrenceRequest {
  readonly ledger: Ledger;
  readonly realm: Realm;
  readonly occurrence: Occurrence;
  /** What to run, as received. */
  readonly run: unknown;
  /** Budget for each calendar month, as received; absent: none. */
  readonly month?: unknown;
  /** How long it waited for a worker, and how long it may have, ms; the latter as received, absent: however long. Default: not at all. */
  readonly wait?: { readonly waitedMs: number; readonly catchUpMs?: unknown };
  /** Reads the account's credits; null: the API does not say. */
  readonly readBalance: () => Promise<number | null>;
  /** Fetches a manifest from a URL. */
  readonly fetchManifest: FetchManifest;
  /** Learns what is behind links: results that are there already cost nothing. */
  readonly identify: IdentifyMedia;
  readonly readVoices: ReadVoices;
  /** Reads the lengths of media. */
  readonly fetch: Fetch;
}

/**
 * The batch of an occurrence, with the `ETag` of a fetched manifest; or why there is none, in which case nothing was
 * spent. `skipped`: the month's budget is used up, or no worker came in time.
 */
export type OpenedOccurrence =
  | {
      readonly type: 'opened';
      readonly batch: BatchRecord;
      readonly out: string;
      /** The batch was made from the current manifest. */
      readonly isNew: boolean;
      readonly etag?: string | null;
    }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'skipped'; readonly cause: SkipCause; readonly reason: string };

/**
 * Reads a schedule's current manifest and makes it the batch of an occurrence. Returns an existing batch unchanged: an
 * occurrence is one batch, even if the manifest has changed since. Sends nothing that costs.
 */
export async function openOccurrence(request: OccurrenceRequest): Promise<OpenedOccurrence> {
  const { ledger, realm, occurrence } = request;
  const run = parseScheduledRun(request.run);
  const month = parseMonthBudget(request.month);
  if (run === undefined || month === undefined) {
    return refused('the schedule was made by another version of voxbatch. Update it: voxbatch schedule update');
  }
  const name = formatOccurrence(occurrence);
  // The name comes from Temporal, and also names the out folder.
  if (!isBatchName(name)) return refused('the schedule has a name that no batch can have');
  const out = join(run.outFolder, name);
  const found = await ledger.findBatch(name);
  if (found !== undefined && found.state !== 'loading') {
    const differs = realmDifference(found, realm);
    return differs === undefined
      ? { type: 'opened', batch: found, out, isNew: false }
      : refused(`there is a batch "${name}" of another ${differs === 'api' ? 'API' : 'account'}`);
  }
  const late = whyLate(request.wait);
  if (late !== undefined) return { type: 'skipped', cause: 'missed', reason: late };
  try {
    const source = await openManifestFile(run.manifest, request.fetchManifest);
    try {
      return await load({ ...request, run, month, name, out, source });
    } finally {
      await source.close();
    }
  } catch (error) {
    if (error instanceof MonthUsedUp && month !== null) return skippedFor(error.standing, { ...occurrence, ...month });
    if (!(error instanceof ManifestError)) throw error;
    return refused(error.problems[0] === undefined ? error.message : withoutCells(error.problems, run));
  }
}

function whyLate({ waitedMs, catchUpMs }: OccurrenceRequest['wait'] = { waitedMs: 0 }): string | undefined {
  return whyTooLate(waitedMs, typeof catchUpMs === 'number' ? catchUpMs : null);
}

interface LoadRequest extends Omit<OccurrenceRequest, 'run' | 'month'> {
  readonly run: ScheduledRun;
  readonly month: MonthBudget | null;
  readonly name: string;
  readonly out: string;
  readonly source: ManifestSource;
}

async function load(request: LoadRequest): Promise<OpenedOccurrence> {
  const { ledger, realm, run, name, out, source } = request;
  const choices = choicesOf(run);
  const learnt = await ledger.textLimits(realm.apiUrl, realm.account);
  const options = { ...choices.manifest, textLimits: { ...learnt, ...choices.manifest.textLimits } };
  const settings = { ...choices.settings, ...(await ledger.scheduleHooks(request.occurrence.schedule)) };
  const checked = await checkManifest(source, options, settings.budget);
  if (checked.type === 'outcome-file') {
    return refused(`${source.label} is an outcome file of batch "${checked.batch}"; a schedule takes a manifest`);
  }
  if (checked.type === 'faulty')
    return refused(withoutCells(checked.summary.problems, run, checked.summary.problemCount));
  const voices = await checkVoices(checked, request.readVoices, { warns: false });
  if (voices.type === 'unread')
    return refused(
      `the manifest names voices, and the list of voices cannot be read: ${voices.why} Nothing was spent.`,
    );
  if (voices.type === 'faulty') return refused(withoutCells(voices.summary.problems, run, voices.summary.problemCount));
  const { fetch, identify } = request;
  const { budget } = settings;
  const probed: SoundManifest = run.probe ? await probeManifest(source, checked, { budget, fetch }) : checked;
  const priced = withVoices(probed, voices);
  const { summary } = await planNew({ source, checked: priced, settings, ledger, account: realm, identify });
  const approval = await approveOccurrence({ ...request, summary, settings, confirmAbove: run.confirmAbove });
  if (approval.type !== 'go') return approval.type === 'skipped' ? approval : refused(approval.reason);
  const { apiUrl, account } = realm;
  const identity = { name, digest: summary.digest ?? '', apiUrl, account };
  const folder = await probeOut(out);
  if (folder.type === 'unwritable')
    return refused(`the output folder ${out} cannot be written: ${String(folder.cause)}`);
  const standing = await standingOf(out, identity);
  if (standing.type === 'taken') return refused(`the output folder ${out} ${standing.by}`);
  const loaded = await findOrLoadBatch({
    ledger,
    source,
    options: priced.options,
    identity,
    settings,
    givesReading: true,
    givesTemplate: true,
    checked: summary,
    month: approval.month,
  });
  if (loaded.type !== 'taken') await claimOut(out, loaded.batch);
  // Another firing of this occurrence made the batch meanwhile, from a manifest that has changed since. It still is this
  // occurrence's batch.
  return { type: 'opened', batch: loaded.batch, out, isNew: loaded.type === 'new', ...defined({ etag: source.etag }) };
}

/** The part of a manifest that a message quotes. */
const QUOTED = /"(?:[^"\\]|\\.)*"/gu;

/** What is wrong with a manifest, without the content of its cells: Temporal records it. */
function withoutCells(
  problems: readonly ManifestProblem[],
  { manifest }: ScheduledRun,
  count = problems.length,
): string {
  const [first] = problems;
  const where =
    first === undefined
      ? ''
      : `; the first is in ${first.file === undefined ? '' : `${first.file}, `}line ${first.line}: expected ${first.expected.replaceAll(QUOTED, '…')}`;
  return `the manifest ${labelOfPlace(manifest)} has ${count === 1 ? 'a problem' : `${count} problems`}${where}. All of them: voxbatch plan`;
}

/** Makes it a sentence, because it is shown on its own. */
function refused(reason: string): OpenedOccurrence {
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
  return { type: 'refused', reason: /[.!?]$/.test(sentence) ? sentence : `${sentence}. Nothing was spent.` };
}
