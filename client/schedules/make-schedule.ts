import { ScheduleAlreadyRunning } from '@temporalio/client';
import { resolve } from 'node:path';
import type { BatchChoices } from '../../batches/batch-settings.ts';
import { priceScheduled, type ScheduledPrice } from '../../batches/schedules/price-scheduled.ts';
import { scheduledRunOf, type RunTerms } from '../../batches/schedules/scheduled-choices.ts';
import type { Account } from '../../contract/names.ts';
import { scheduleIdOf, type ScheduleHooks } from '../../contract/schedule.ts';
import { isUrl } from '../../inputs/manifest-place.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { ScheduleSettings } from '../../ledger/schedules/schedule-settings.ts';
import { runsLeft, isPausedHere } from '../../policy/schedules/legal-firing.ts';
import type { ScheduleSpec, WrittenSpec } from '../../policy/schedules/schedule-spec.ts';
import { realmOf } from '../connect-api.ts';
import { VoxbatchError } from '../problem.ts';
import { fetchManifest } from '../run/open-manifest.ts';
import type { Session } from '../session.ts';
import { requireFinishing } from '../sound/require-finishing.ts';
import {
  askTemporal,
  describe,
  describeIfThere,
  handleOf,
  requireRecord,
  withSchedules,
  type OpenSchedules,
  type SchedulePlace,
} from './open-schedules.ts';
import { currentStateOf } from './recorded-view.ts';
import { showSchedule, type ShownSchedule } from './schedule-view.ts';
import { encodeSpec } from './temporal-spec.ts';
import { withAllowance, firingOf, resumeSchedule } from './control-schedule.ts';
import { surveyBeforeChange, surveyForgotten } from './survey-schedule.ts';
import { requireSpec } from './check-schedule.ts';

/** How to run a schedule's batches. */
export interface WantedRun {
  /** A file, a pattern of files, or a URL. */
  readonly manifest: string;
  /** Folder that gets a folder for each batch's results. Default `out`. */
  readonly out?: string | undefined;
  readonly choices: BatchChoices & Pick<RunTerms, 'probe' | 'confirmAbove'>;
}

/** What a firing would run and cost now, which may differ by the time the schedule fires. */
export interface Outlook {
  readonly price: ScheduledPrice;
  readonly run: ScheduledRun;
}

/** Result of making or changing a schedule. `unsound`: nothing was done, because its manifest could not run now. */
export type MadeSchedule =
  | {
      readonly type: 'made';
      readonly schedule: ShownSchedule;
      /** Who else works in the home, and so may fire the schedule. */
      readonly around: OpenSchedules['around'];
      /** Undefined if what it runs has not changed. */
      readonly outlook?: Outlook;
      /** What it ran before, if that has changed. */
      readonly before?: ScheduledRun | undefined;
    }
  | { readonly type: 'unsound'; readonly price: Extract<ScheduledPrice, { readonly type: 'unsound' }> };

/** A schedule to make. */
export interface ScheduleRequest {
  readonly name: string;
  readonly spec: ScheduleSpec;
  readonly wanted: WantedRun;
  /** Refuse a manifest that could not run now. Default: the schedule is created anyway. */
  readonly mustRun?: boolean | undefined;
  /** Why, for the record. */
  readonly reason?: string | undefined;
}

/**
 * Makes a schedule. Spends nothing. Throws {@link VoxbatchError} (`bad-option`, `schedule-taken`, `schedule-refused`,
 * `schedule-silent`, and what opening API, ledger and Temporal throws).
 */
export async function makeSchedule(
  session: Session,
  { name, spec, wanted, mustRun = false, reason }: ScheduleRequest,
  say: (line: string) => void,
): Promise<MadeSchedule> {
  const outlook = await priceRun(wanted, spec, session.settings.env);
  const { price, run } = outlook;
  if (mustRun && price.type === 'unsound') return { type: 'unsound', price };
  const realm = realmOf(await session.api());
  return withSchedules(
    session,
    say,
    async (place) => {
      await createSchedule(place, { name, spec, run, hooks: wanted.choices.settings, realm });
      return { type: 'made', schedule: await showSchedule(place, name), around: place.around, outlook };
    },
    reason,
  );
}

/** A schedule to change; absent members stay as they are. */
export interface ChangeRequest {
  readonly written: WrittenSpec;
  /** Gives the name of an option for messages. */
  readonly nameOf: (option: keyof WrittenSpec) => string;
  readonly wanted?: WantedRun | undefined;
  readonly hooks?: Partial<ScheduleHooks>;
  readonly mustRun?: boolean | undefined;
}

/** Changes a schedule. A running batch stays as it is. Throws as {@link makeSchedule} does, and `no-schedule`. */
export async function changeSchedule(place: OpenSchedules, name: string, change: ChangeRequest): Promise<MadeSchedule> {
  const { wanted, mustRun = false, written, nameOf } = change;
  const { around } = place;
  if (wanted === undefined) {
    await updateSchedule(place, name, change);
    return { type: 'made', schedule: await showSchedule(place, name), around };
  }
  const before = await showSchedule(place, name);
  const outlook = await priceRun(wanted, requireSpec(written, nameOf, before.spec), place.settings.env);
  const { price, run } = outlook;
  if (mustRun && price.type === 'unsound') return { type: 'unsound', price };
  await updateSchedule(place, name, { ...change, run });
  return { type: 'made', schedule: await showSchedule(place, name), around, outlook, before: before.run };
}

/**
 * Determines what a schedule is to run, as far as that is possible before a firing reads the manifest, and what it
 * would cost now. Throws {@link VoxbatchError} (`bad-option`) for finishing of sound that this machine cannot do: at a
 * firing, nobody would notice.
 */
async function priceRun(
  { manifest, out = 'out', choices }: WantedRun,
  { budgetMonth }: ScheduleSpec,
  env: NodeJS.ProcessEnv,
): Promise<Outlook> {
  const { probe, confirmAbove } = choices;
  await requireFinishing(choices.settings.reading, env);
  const places = { manifest: isUrl(manifest) ? manifest : resolve(manifest), outFolder: resolve(out) };
  const run = scheduledRunOf(choices, { ...places, probe, confirmAbove });
  const month = budgetMonth === null ? null : { credits: budgetMonth };
  return { run, price: await priceScheduled(run, fetchManifest, undefined, month) };
}

/** A schedule to create. `realm`: the API and the account whose credits it spends. */
interface NewSchedule extends Pick<ScheduleSettings, 'run' | 'spec'> {
  readonly name: string;
  readonly hooks?: Partial<ScheduleHooks>;
  readonly realm: Account;
}

/**
 * Creates a schedule. Nothing is spent before it fires. Throws {@link VoxbatchError} (`schedule-taken`,
 * `schedule-refused`, `schedule-silent`).
 */
export async function createSchedule(
  place: SchedulePlace,
  { name, spec, run, hooks: { onEnd = null, notify = null } = {}, realm: { apiUrl, account } }: NewSchedule,
): Promise<void> {
  const { ledger, temporal, by } = place;
  const settings = { run, spec, apiUrl, account };
  const { remainingActions, ...encoded } = encodeSpec(spec);
  const isKnown = (await ledger.knownSchedules()).includes(name);
  // An existing schedule stays as it is; one that Temporal has lost is recreated.
  const isThere = isKnown && (await describeIfThere(place, name)) !== undefined;
  if (isThere) throw new VoxbatchError({ type: 'schedule-taken', schedule: name });
  try {
    // Temporal has also lost its pending triggers and backfills, so they must not be allowed any more.
    if (isKnown) await ledger.pauseFirings(name, Date.now(), '', by);
    // Records the settings first, because the schedule may fire immediately.
    await ledger.settleSchedule(name, settings, Date.now(), by);
    await ledger.setScheduleHooks(name, { onEnd, notify });
    // A recreated schedule may have been paused.
    if (isKnown) await ledger.resumeFirings(name, Date.now(), '', by);
    await askTemporal(place, name, () =>
      temporal.client.schedule.create({
        scheduleId: scheduleIdOf(ledger.id, name),
        ...encoded,
        ...(remainingActions === undefined ? {} : { state: { remainingActions } }),
        action: firingOf(ledger.id, name, settings),
      }),
    );
  } catch (error) {
    const isTaken = error instanceof ScheduleAlreadyRunning;
    const isRefused = isTaken || (error instanceof VoxbatchError && error.problem.type === 'schedule-refused');
    // A server that did not answer may still have created the schedule, which would then fire.
    if (!isKnown && isRefused) await ledger.forgetSchedule(name, by);
    if (isTaken) throw new VoxbatchError({ type: 'schedule-taken', schedule: name });
    throw error;
  }
}

/**
 * Changes a schedule; `run`: what it runs from now on. A running batch stays as it is. Throws {@link VoxbatchError}
 * (`bad-option`, `no-schedule`, `schedule-refused`, `schedule-silent`).
 */
export async function updateSchedule(
  place: SchedulePlace,
  name: string,
  { written, run, hooks = {}, nameOf }: Omit<ChangeRequest, 'wanted'> & { readonly run?: ScheduledRun },
): Promise<void> {
  const { ledger } = place;
  await surveyBeforeChange(place, name);
  const record = await requireRecord(place, name);
  const { settings, settledAt } = record;
  // The limit of runs counts from when the schedule was last changed; both the ledger and Temporal count them.
  const occurrences = await ledger.occurrencesOf(name, { from: settledAt });
  const left = runsLeft({ ...record, spec: settings.spec, occurrences });
  const { runs } = currentStateOf(record, await describe(place, name)).spec;
  const spec = requireSpec(written, nameOf, {
    ...settings.spec,
    runs: left === null || runs === null ? null : Math.min(left, runs),
  });
  const { remainingActions, ...encoded } = encodeSpec(spec);
  const update = (): Promise<void> =>
    askTemporal(place, name, () =>
      handleOf(place, name).update((before) => {
        const { paused, note } = before.state;
        return {
          ...encoded,
          state: {
            paused,
            ...(note === undefined ? {} : { note }),
            ...(remainingActions === undefined ? {} : { remainingActions }),
          },
          action: firingOf(ledger.id, name, settings),
        };
      }),
    );
  // The new times are allowed before Temporal gets them, because it may fire at once. The old times stay allowed until
  // then.
  if (isPausedHere(record)) await update();
  else await withAllowance(place, name, { kind: 'due', from: Date.now(), until: null, spec }, update);
  await ledger.settleSchedule(name, { ...settings, spec, run: run ?? settings.run }, Date.now(), place.by);
  await ledger.setScheduleHooks(name, hooks);
}

/**
 * Resumes a paused schedule, or recreates one that Temporal has lost from its record. Missed firings stay missed; a
 * backfill makes up for them. Returns whether it was recreated. Throws {@link VoxbatchError} (`no-schedule`,
 * `schedule-silent`).
 */
export async function resumeOrRemake(place: SchedulePlace, name: string, note: string): Promise<boolean> {
  const { ledger } = place;
  const record = await requireRecord(place, name);
  if ((await describeIfThere(place, name)) !== undefined) {
    await resumeSchedule(place, name, note);
    return false;
  }
  // Temporal cannot say later what was due while it did not have the schedule.
  await surveyForgotten(place, record, { isLost: true });
  const { settings, settledAt } = record;
  const occurrences = await ledger.occurrencesOf(name, { from: settledAt });
  const spec = { ...settings.spec, runs: runsLeft({ ...record, spec: settings.spec, occurrences }) };
  const hooks = await ledger.scheduleHooks(name);
  await createSchedule(place, { name, spec, run: settings.run, hooks, realm: settings });
  return true;
}
