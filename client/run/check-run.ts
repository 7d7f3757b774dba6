import type { ManifestSource } from '../../inputs/manifest-source.ts';
import {
  checkManifest,
  type CheckedManifest,
  type OutcomeFile,
  type SoundManifest,
} from '../../inputs/read-manifest.ts';
import type { ApiAccess, Settings } from '../settings.ts';
import { localMediaRules } from '../local-media/local-media-rules.ts';
import { withListedVoices } from '../voices/resolve-voices.ts';
import {
  asRecorded,
  type AskedReading,
  type BatchChoices,
  withAnyLength,
  withRecordedCase,
  chooseSettings,
  givesReading,
  type WantedBatch,
} from '../../batches/batch-settings.ts';
import { legacyShareOf } from '../../contract/batch.ts';
import { openRecordsIfAny } from '../open-records.ts';
import { readBaseUrl } from '../../api/base-url.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Session } from '../session.ts';
import { resolve } from 'node:path';
import { withConfig } from '../../batches/manifest-config.ts';
import { defined } from '../../contract/defined.ts';
import { defaultOut, nameFromFile } from '../../contract/batch-name.ts';
import type { Subset } from '../../contract/subset.ts';
import type { Config } from '../../inputs/config-file.ts';
import { checkWanted } from '../check-options.ts';
import type { Confirm } from '../person.ts';
import type { BatchPlan } from './record-batch.ts';

/** How to run a manifest. Omitted options come from the configuration. */
export interface RunOptions extends WantedBatch {
  /** Name of the batch. Default: derived from the manifest's file name. */
  readonly name?: string;
  /** Folder of its files. Default `out/NAME`. */
  readonly out?: string;
  /** Why, for the record. */
  readonly reason?: string;
  /** Called before paying a bill above the configuration's `confirmAbove`. Default: such a bill is refused. */
  readonly confirm?: Confirm;
}

/** What to run, with all defaults filled in. */
export interface RunPlan extends BatchPlan, BatchChoices, AskedReading {
  /** Absolute path of the out folder. */
  readonly out: string;
  /** The rows to run; null means all. */
  readonly subset: Subset | null;
  /** Whether the configuration affects how the manifest is read, for columns that it has. */
  readonly isConfigured: boolean;
  /** Whether an option affects how the manifest is read. */
  readonly asksReading: boolean;
}

/**
 * Fills in the defaults, and reads the cast, a table of speakers and their voices. Throws {@link VoxbatchError}
 * (`bad-option`) and {@link ManifestError}.
 */
export async function planOf(
  manifest: string,
  wanted: RunOptions & Partial<Pick<RunPlan, 'probe' | 'confirmAbove'>>,
  config: Config,
): Promise<RunPlan> {
  const { name = nameFromFile(manifest), subset = null, tuning = {}, probe = false } = wanted;
  checkWanted(wanted, name);
  const { isConfigured, nameTemplate, ...choices } = await choicesFor(manifest, wanted, config);
  return {
    name,
    out: resolve(wanted.out ?? defaultOut(name)),
    ...choices,
    ...{ subset, tuning, probe, confirmAbove: wanted.confirmAbove ?? config.confirmAbove ?? null },
    givesTemplate: nameTemplate !== undefined,
    givesReading: givesReading(wanted) || isConfigured,
    asksReading: givesReading(wanted),
    isConfigured: isConfigured || Object.keys(choices.manifest.mapIfThere ?? {}).length > 0,
    givesDialect: wanted.apiDialect !== undefined,
    wantedFinish: wanted.finish,
  };
}

/** How a manifest of this name is read, by options and configuration. Throws {@link ManifestError} about the cast. */
export async function choicesFor(
  manifest: string,
  options: WantedBatch,
  config: Config,
): Promise<BatchChoices & { readonly isConfigured: boolean; readonly nameTemplate: string | undefined }> {
  const { wanted, mapIfThere, isConfigured } = withConfig(options, config, manifest);
  const cast =
    wanted.cast === undefined
      ? undefined
      : await (await import('../../inputs/cast/read-cast.ts')).readCast(wanted.cast);
  return {
    ...chooseSettings(wanted, config, defined({ cast, mapIfThere })),
    isConfigured,
    nameTemplate: wanted.nameTemplate,
  };
}

/** A manifest to run. */
export interface CheckRequest<Plan extends RunPlan = RunPlan> {
  readonly source: ManifestSource;
  readonly plan: Plan;
  readonly settings: Settings;
  /** The API's URL; undefined if none is configured. */
  readonly apiUrl: string | undefined;
  /** The API's URL and token, if they may be used without asking; throws otherwise. */
  readonly access: () => ApiAccess | Promise<ApiAccess>;
}

/** Everything wrong with a manifest, including its voices if the API's list can be read. */
export type FaultyManifest = Extract<CheckedManifest, { readonly type: 'faulty' }>;

/**
 * A manifest as it would be run. `plan` includes what the ledger knows about its batch and about the API's text limits.
 */
export interface SoundRun<Plan extends RunPlan = RunPlan> {
  readonly type: 'sound';
  readonly checked: SoundManifest;
  readonly plan: Plan;
}

/**
 * Reads a manifest as it would be run and validates all of it. Changes nothing and spends nothing. Throws {@link
 * VoxbatchError} (`bad-option`).
 */
export async function checkRun<Plan extends RunPlan>(
  request: CheckRequest<Plan>,
): Promise<SoundRun<Plan> | FaultyManifest | OutcomeFile> {
  const { settings } = request;
  const recorded = await withRecordedReading(request.plan, settings);
  const limited = await withRecords(settings, (ledger) => withTextLimits(ledger, recorded, request.apiUrl));
  const plan = withMediaRules(limited, request);
  const checked = await checkManifest(request.source, plan.manifest, plan.settings.budget);
  if (checked.type === 'outcome-file') return checked;
  if (checked.type === 'sound') return soundRun(checked, plan, settings);
  const manifest = { summary: checked.summary, options: plan.manifest };
  return { type: 'faulty', summary: await withListedVoices(manifest, settings, request.access) };
}

/**
 * Checks the manifest as {@link checkRun} does, but as if for a new batch, whose long texts are checked and split: if
 * the batch on record is another one, the manifest needs a new name anyway. Undefined if it has problems.
 */
export async function checkAsNewBatch<Plan extends RunPlan>(
  request: CheckRequest<Plan>,
): Promise<SoundRun<Plan> | undefined> {
  const { source, settings } = request;
  const recorded = await withRecordedReading(request.plan, settings);
  const plan = withMediaRules(await withLearntLimits(recorded, request.apiUrl, settings), request);
  const checked = await checkManifest(source, plan.manifest, plan.settings.budget);
  return checked.type === 'sound' ? soundRun(checked, plan, settings) : undefined;
}

/** Builds the result for a valid manifest, and adds a warning if its links to local media may expire too early. */
async function soundRun<Plan extends RunPlan>(
  { summary, options }: SoundManifest,
  plan: Plan,
  settings: Settings,
): Promise<SoundRun<Plan>> {
  const warnings =
    summary.local === null
      ? summary.warnings
      : await (await import('../local-media/short-links.ts')).warningsOf(summary, settings, plan.settings);
  return { type: 'sound', checked: { summary: { ...summary, warnings }, options }, plan };
}

/** Adds the rules for local media to a manifest's choices. */
export function withMediaRules<Choices extends BatchChoices>(
  choices: Choices,
  { settings, apiUrl }: Pick<CheckRequest, 'apiUrl'> & { readonly settings: Pick<Settings, 'config' | 'store'> },
): Choices {
  return { ...choices, manifest: { ...choices.manifest, localMedia: localMediaRules(settings, apiUrl) } };
}

/** The choices for a manifest and its batch. */
interface NamedChoices extends BatchChoices, AskedReading {
  readonly name: string;
  /** Whether an option, or the configuration for this manifest, says how rows are read. */
  readonly givesReading: boolean;
}

/**
 * Returns the choices for a manifest whose batch may be on record: such a batch keeps its API dialect and finishing of
 * sound, which are part of its `reading` (how its rows are read), whatever the configuration says now. Explicit options
 * stay, and are refused later if the batch differs. Throws {@link VoxbatchError} (`bad-option`) for a new batch whose
 * finishing this machine cannot do.
 */
async function withRecordedReading<Choices extends NamedChoices>(
  choices: Choices,
  settings: Pick<Settings, 'ledger' | 'env'>,
): Promise<Choices> {
  const { reading } = choices.settings;
  // Then the record cannot change the check: dialect v1 supports every kind of row (the legacy one only some), and
  // without reading options the reading is not compared.
  if (legacyShareOf(choices.settings) === 0 && reading.finish === undefined && !choices.givesReading) return choices;
  const ledger = await openRecordsIfAny(settings);
  try {
    const found = await ledger?.findBatch(choices.name);
    if (found !== undefined && found.state !== 'loading') return asRecorded(choices, found.settings);
    if (reading.finish === undefined) return choices;
    const { requireFinishing } = await import('../sound/require-finishing.ts');
    await requireFinishing(reading, settings.env);
    return choices;
  } finally {
    await ledger?.close();
  }
}

/**
 * Adds learned text limits to the choices of a named batch. The configuration takes precedence. For a recorded batch
 * see {@link withAnyLength}. `apiUrl`: undefined if none is configured.
 */
export async function withTextLimits<Choices extends BatchChoices & { readonly name: string }>(
  ledger: Ledger | undefined,
  choices: Choices,
  apiUrl: string | undefined,
): Promise<Choices> {
  const found = await ledger?.findBatch(choices.name);
  if (found === undefined || found.state === 'loading') return withLearnt(choices, apiUrl, ledger);
  const recorded = withRecordedCase(choices, found.settings);
  // Nor are the recorded batch's API fields checked again: an earlier version accepted more of them.
  return { ...recorded, manifest: { ...withAnyLength(recorded.manifest), anyApiField: true } };
}

/** Adds learned text limits to a manifest's choices, regardless of its batch. */
export async function withLearntLimits<Choices extends BatchChoices>(
  choices: Choices,
  apiUrl: string | undefined,
  settings: Pick<Settings, 'ledger'>,
): Promise<Choices> {
  return withRecords(settings, (ledger) => withLearnt(choices, apiUrl, ledger));
}

/** Adds the text limits that the API at this URL has shown; limits from the configuration take precedence. */
async function withLearnt<Choices extends BatchChoices>(
  choices: Choices,
  apiUrl: string | undefined,
  ledger: Ledger | undefined,
): Promise<Choices> {
  const { manifest } = choices;
  const learnt = apiUrl === undefined ? undefined : await ledger?.textLimits(apiUrl);
  return { ...choices, manifest: { ...manifest, textLimits: { ...learnt, ...manifest.textLimits } } };
}

/** Runs `work` with the ledger, or with undefined if there is none yet. */
async function withRecords<T>(
  settings: Pick<Settings, 'ledger'>,
  work: (ledger: Ledger | undefined) => Promise<T>,
): Promise<T> {
  const ledger = await openRecordsIfAny(settings);
  try {
    return await work(ledger);
  } finally {
    await ledger?.close();
  }
}

/** The API's URL; undefined if missing or invalid, which is reported once the URL is needed. */
export async function apiUrlOf(session: Session): Promise<string | undefined> {
  try {
    return readBaseUrl((await session.access()).baseUrl).baseUrl;
  } catch {
    return undefined;
  }
}
