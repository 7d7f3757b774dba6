import { type ManifestWarning, ManifestError } from '../../contract/manifest-problems.ts';
import type { NamedRows } from '../../contract/spend.ts';
import { type SoundManifest, summarizeManifest } from '../../inputs/read-manifest.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import type { CheckedVoices } from '../voices/check-voices.ts';
import { planNew, type NewPlanRequest } from './plan-new.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';

/** Events while a manifest is priced. */
export type PricingEvent =
  /** This many rows' media are being probed for their length. */
  | { readonly type: 'probing'; readonly rows: number }
  /**
   * Probing is done, except for `notProbed`; `assumeSeconds`: the length used to price those, undefined if they have no
   * price.
   */
  | { readonly type: 'probed'; readonly notProbed: NamedRows; readonly assumeSeconds: number | undefined }
  /** Warnings from the API's voice list. */
  | { readonly type: 'voices'; readonly warnings: readonly ManifestWarning[] };

/** A valid manifest whose media lengths and voices are not known yet. */
export interface ResolveRequest extends Pick<NewPlanRequest, 'source' | 'checked' | 'settings'> {
  /** Looks up the manifest's voices in the API's list. */
  readonly voices: () => Promise<CheckedVoices>;
  /** Whether to read the length of media whose rows do not state it. */
  readonly probe: boolean;
  /** Address of the API; undefined if none is set. */
  readonly apiUrl: string | undefined;
  /** Called with progress and warnings. */
  readonly onEvent?: ((event: PricingEvent) => void) | undefined;
}

type ValidVoices = Extract<CheckedVoices, { readonly type: 'sound' }>;
/** Why voices are not known: problems with them, or an unreadable list. */
type NotKnown = Exclude<CheckedVoices, ValidVoices>;

/** A manifest whose media lengths, as far as readable, and voices are known. */
export interface ResolvedManifest {
  readonly type: 'resolved';
  readonly checked: SoundManifest;
  readonly voices: ValidVoices;
}

/**
 * Reads a manifest's media lengths and the voices that its names stand for, or the problems with its voices. Changes
 * nothing and spends nothing.
 */
export async function resolveManifest(request: ResolveRequest): Promise<ResolvedManifest | NotKnown> {
  const { source, checked, settings, probe, apiUrl, onEvent } = request;
  const onProbing = (rows: number): void => onEvent?.({ type: 'probing', rows });
  const [probed, voices] = await Promise.all([
    probe ? probeManifest(source, checked, { budget: settings.budget, apiUrl, onProbing }) : checked,
    request.voices(),
  ]);
  const { assumeSeconds } = checked.options;
  if (probe) onEvent?.({ type: 'probed', notProbed: probed.summary.notProbed, assumeSeconds });
  if (voices.type !== 'sound') return voices;
  onEvent?.({ type: 'voices', warnings: voices.warnings });
  const options = voices.voices.size === 0 ? probed.options : { ...probed.options, voices: voices.voices };
  return { type: 'resolved', checked: { ...probed, options }, voices };
}

/** A priced manifest. Its summary is billed net of existing results; `reasons`: why the other rows are paid for. */
export interface PricedManifest {
  readonly type: 'priced';
  readonly checked: SoundManifest;
  readonly reasons: RowReasons;
}

/** Prices a manifest that is to become a batch. Changes nothing, spends nothing. */
export async function priceNew(
  request: ResolveRequest & Pick<NewPlanRequest, 'ledger' | 'account' | 'identify'>,
): Promise<PricedManifest | NotKnown> {
  const resolved = await resolveManifest(request);
  if (resolved.type !== 'resolved') return resolved;
  const { checked } = resolved;
  const { summary, reasons } = await planNew({ ...request, checked });
  return { type: 'priced', checked: { summary, options: checked.options }, reasons };
}

/** How to read the length of media. */
export interface ProbeChoice {
  /** Credits; the bill says how many rows it covers. Null without a budget. */
  readonly budget: number | null;
  /** Address of the API; undefined if none is set. Private media are read only if it is private, too. */
  readonly apiUrl: string | undefined;
  /** Called before media are read, with the number of rows. Not called if every row states its length. */
  readonly onProbing?: (rows: number) => void;
}

/**
 * Reads the missing lengths of a valid manifest's media and prices its rows. `notProbed` in the summary has the
 * unreadable ones. This is a separate pass, so that nothing is fetched for a manifest that is refused, or that states
 * all lengths. With the returned options, each URL is read only once.
 *
 * @throws ManifestError if the file changed since it was checked.
 */
export async function probeManifest(
  source: ManifestSource,
  { summary, options }: SoundManifest,
  { budget, apiUrl, onProbing }: ProbeChoice,
): Promise<SoundManifest> {
  if (summary.unmeasured === 0) return { summary, options };
  // Includes rows that are not chosen: a later run needs their prices.
  onProbing?.(summary.unmeasured);
  const [{ createProbe }, { createProbeReader }] = await Promise.all([
    import('../../inputs/media/probe-media.ts'),
    import('../../inputs/media/probe-reader.ts'),
  ]);
  const reader = createProbeReader(apiUrl);
  const probing = { ...options, probe: createProbe(reader.read) };
  const probed = await summarizeManifest(source, probing, budget).finally(() => reader.close());
  if (probed.digest !== summary.digest) {
    throw new ManifestError(
      `${source.label} changed while it was read. Nothing was spent. Run the same command again.`,
    );
  }
  return { summary: { ...probed, warnings: summary.warnings }, options: probing };
}
