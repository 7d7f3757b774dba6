import { resolve } from 'node:path';
import type { BatchChoices } from '../../batches/batch-settings.ts';
import { priceScheduled, type ScheduledPrice } from '../../batches/schedules/price-scheduled.ts';
import { scheduledRunOf, type RunPlace } from '../../batches/schedules/scheduled-run.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import { urlSchemeOf } from '../../contract/url-scheme.ts';
import { isManifestUrl, isUrl, MANIFEST_URL_FORM } from '../../inputs/manifest-url.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { ScheduleSpec, WrittenSpec } from '../../policy/schedules/schedule-spec.ts';
import { realmOf } from '../open-api.ts';
import { VoxbatchError } from '../problem.ts';
import { fetchManifest } from '../run/fetch-manifest.ts';
import type { Session } from '../session.ts';
import { requireFinishing } from '../sound/require-finishing.ts';
import { createSchedule, requireSpec } from './create-schedule.ts';
import { showSchedule, type ShownSchedule } from './look-at-schedules.ts';
import { withSchedules, type OpenSchedules } from './open-schedules.ts';
import { updateSchedule } from './steer-schedule.ts';

/** What the batches of a schedule are to be. */
export interface WantedRun {
  /** A file, a pattern of files, or a URL. */
  readonly manifest: string;
  /** Folder that gets a folder for each batch's results. Default `out`. */
  readonly out?: string | undefined;
  readonly choices: BatchChoices & Pick<RunPlace, 'probe' | 'confirmAbove'>;
}

/** What a firing would be now; it may be another by the time the schedule fires. */
export interface Outlook {
  readonly price: ScheduledPrice;
  readonly run: ScheduledRun;
}

/** A schedule that was made or changed; or that was not, because its manifest could not run now. */
export type Made =
  | {
      readonly type: 'made';
      readonly schedule: ShownSchedule;
      readonly around: OpenSchedules['around'];
      /** Undefined: what it runs stays as it was. */
      readonly outlook: Outlook | undefined;
      /** What it ran before, if that has changed. */
      readonly before: ScheduledRun | undefined;
    }
  | { readonly type: 'unsound'; readonly price: Extract<ScheduledPrice, { readonly type: 'unsound' }> };

/** A schedule to make. */
export interface ScheduleRequest {
  readonly name: string;
  readonly spec: ScheduleSpec;
  readonly wanted: WantedRun;
  /** Refuse a manifest that could not run now. Default: it is made all the same. */
  readonly mustRun?: boolean | undefined;
}

/**
 * Makes a schedule. Spends nothing. Throws {@link VoxbatchError} (`bad-option`, `schedule-taken`, `schedule-refused`, `schedule-silent`, and what opening
 * API, ledger and Temporal throws).
 */
export async function makeSchedule(
  session: Session,
  { name, spec, wanted, mustRun = false }: ScheduleRequest,
  say: (line: string) => void,
): Promise<Made> {
  const run = await settleRun(wanted, session.settings.env);
  const price = await lookAhead(run, spec);
  if (mustRun && price.type === 'unsound') return { type: 'unsound', price };
  const realm = realmOf(await session.api());
  return withSchedules(session, say, async (place) => {
    const { onEnd, notify } = wanted.choices.settings;
    await createSchedule(place, { name, spec, run, hooks: { onEnd, notify }, realm });
    return {
      type: 'made',
      schedule: await showSchedule(place, name),
      around: place.around,
      outlook: { price, run },
      before: undefined,
    };
  });
}

/** A schedule to change; absent members stay as they are. */
export interface ChangeRequest {
  readonly written: WrittenSpec;
  /** Gives the name of an option for messages. */
  readonly nameOf: (option: keyof WrittenSpec) => string;
  readonly wanted?: WantedRun | undefined;
  readonly hooks: Partial<ScheduleHooks>;
  readonly mustRun?: boolean | undefined;
}

/** Changes a schedule. A running batch stays as it is. Throws as {@link makeSchedule} does, and `no-schedule`, `schedule-unsettled`. */
export async function changeSchedule(
  place: OpenSchedules,
  name: string,
  { wanted, mustRun = false, ...change }: ChangeRequest,
): Promise<Made> {
  const run = wanted === undefined ? undefined : await settleRun(wanted, place.settings.env);
  const before = run === undefined ? undefined : await showSchedule(place, name);
  let outlook: Outlook | undefined;
  if (run !== undefined && before !== undefined) {
    const price = await lookAhead(run, requireSpec(change.written, change.nameOf, before.spec));
    if (mustRun && price.type === 'unsound') return { type: 'unsound', price };
    outlook = { price, run };
  }
  await updateSchedule(place, name, { ...change, run });
  return {
    type: 'made',
    schedule: await showSchedule(place, name),
    around: place.around,
    outlook,
    before: before?.run,
  };
}

/**
 * What to run, settled as far as possible before the manifest is read. Throws {@link VoxbatchError} (`bad-option`) for sound that this machine cannot
 * finish: at night nobody would see it.
 */
async function settleRun(wanted: WantedRun, env: NodeJS.ProcessEnv): Promise<ScheduledRun> {
  const { manifest, out = 'out', choices } = wanted;
  const { probe, confirmAbove } = choices;
  await requireFinishing(choices.settings.reading, env);
  return scheduledRunOf(choices, {
    manifest: isUrl(manifest) ? manifest : resolve(manifest),
    outFolder: resolve(out),
    probe,
    confirmAbove,
  });
}

function lookAhead(run: ScheduledRun, { budgetMonth }: ScheduleSpec): Promise<ScheduledPrice> {
  return priceScheduled(run, fetchManifest, undefined, budgetMonth === null ? null : { credits: budgetMonth });
}

/** Throws {@link VoxbatchError} (`bad-option`) for a manifest that cannot be read each time a schedule fires. */
export function checkScheduledManifest(manifest: string): void {
  if (manifest !== '-' && (!isUrl(manifest) || isManifestUrl(manifest))) return;
  const came = manifest === '-' ? 'standard input' : `a ${urlSchemeOf(manifest) ?? ''}: URL`;
  const expected = `what is read each time it fires: a file, a pattern such as 'drop/*.csv', or ${MANIFEST_URL_FORM}`;
  throw new VoxbatchError({ type: 'bad-option', option: 'manifest', expected, came });
}
