import type { ManifestSource } from '../../inputs/manifest-source.ts';
import {
  checkManifest,
  type CheckedManifest,
  type OutcomeFile,
  type SoundManifest,
} from '../../inputs/read-manifest.ts';
import { withLearntLimits, withTextLimits } from '../parts/text-limits.ts';
import type { ApiAccess, Settings } from '../settings.ts';
import { withListedVoices } from '../voices/know-voices.ts';
import { withRecordedReading } from './recorded-reading.ts';
import type { RunPlan } from './run-plan.ts';

/** A manifest that somebody wants to run. */
export interface CheckRequest<Plan extends RunPlan = RunPlan> {
  readonly source: ManifestSource;
  readonly plan: Plan;
  readonly settings: Settings;
  /** Address of the API; undefined if none is set. */
  readonly apiUrl: string | undefined;
  /** Address and token of the API, as far as they may be used without a question; throws without them. */
  readonly access: () => ApiAccess | Promise<ApiAccess>;
}

/** All that is wrong with a manifest, its voices included as far as the API's list can be read. */
export type FaultyManifest = Extract<CheckedManifest, { readonly type: 'faulty' }>;

/** A manifest as it would be run. `plan`: what the ledger says of its batch, and of the texts that the API takes, is in it. */
export interface SoundRun<Plan extends RunPlan = RunPlan> {
  readonly type: 'sound';
  readonly checked: SoundManifest;
  readonly plan: Plan;
}

/** Reads a manifest as it would be run, and checks all of it. Changes nothing, spends nothing. Throws {@link VoxbatchError} (`bad-option`). */
export async function checkRun<Plan extends RunPlan>(
  request: CheckRequest<Plan>,
): Promise<SoundRun<Plan> | FaultyManifest | OutcomeFile> {
  const { settings } = request;
  const recorded = await withRecordedReading(request.plan, settings);
  const plan = await withTextLimits(recorded, request.apiUrl, settings);
  const checked = await checkManifest(request.source, plan.manifest, plan.settings.budget);
  if (checked.type === 'outcome-file') return checked;
  if (checked.type === 'sound') return { type: 'sound', checked, plan };
  const manifest = { summary: checked.summary, options: plan.manifest };
  return { type: 'faulty', summary: await withListedVoices(manifest, settings, request.access) };
}

/** The same for a manifest that is to be a batch of another name: its long texts are checked and cut. Undefined: it is not sound. */
export async function checkAnew<Plan extends RunPlan>(
  request: CheckRequest<Plan>,
): Promise<SoundRun<Plan> | undefined> {
  const { source, settings } = request;
  const recorded = await withRecordedReading(request.plan, settings);
  const plan = await withLearntLimits(recorded, request.apiUrl, settings);
  const checked = await checkManifest(source, plan.manifest, plan.settings.budget);
  return checked.type === 'sound' ? { type: 'sound', checked, plan } : undefined;
}
