import type { Cast } from '../../contract/cast.ts';
import { defined } from '../../contract/defined.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import { tuningOf, EARLIER_TUNABLES, valuesOf } from '../../contract/tunables.ts';
import { SCHEDULED_TUNABLES } from '../../contract/schedule.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import { applyTuning } from '../../policy/tuning.ts';
import { limitsOf, type BatchChoices } from '../batch-settings.ts';

/** What a schedule records besides the choices for its batches: what to read, where to write, and how to price. */
export type RunTerms = Pick<ScheduledRun, 'manifest' | 'outFolder' | 'probe' | 'confirmAbove'>;

/** Returns the record of the choices for a schedule's batches, from which {@link choicesOf} restores them. */
export function scheduledRunOf({ manifest: options, settings }: BatchChoices, terms: RunTerms): ScheduledRun {
  const { kind, defaults, map, anyCase, cast, tts, legacyShare, join, split, finish } = settings.reading;
  const { firstLookMs, pollGapMs, jobDeadlineMs, trust503, nameTemplate, prices } = settings;
  return {
    ...terms,
    kind,
    defaults: { ...defaults },
    map: { ...map },
    tts,
    ...defined({
      mapIfThere: options.mapIfThere && { ...options.mapIfThere },
      anyCase,
      cast: cast && castOf(cast),
      legacyShare,
      join,
      split,
      finish,
      operations: settings.operations && [...settings.operations],
      xlsx: settings.xlsx,
      report: settings.report,
      sheet: options.sheet,
      // The configured limit, which is the same for every operation; see `limitsOf`.
      textLimit: options.textLimits?.['speech-job']?.most,
      samples: options.samples,
    }),
    strict: options.strict,
    nameTemplate,
    assumeSeconds: options.assumeSeconds ?? null,
    subset: options.subset ?? null,
    prices: { ...prices },
    tunables: Object.fromEntries(
      Object.entries(valuesOf(settings)).filter(([name]) => isScheduled(name) && !isByRows(name, settings)),
    ),
    firstLookMs,
    pollGapMs,
    jobDeadlineMs,
    trust503,
  };
}

/** Returns whether schedules record this tunable. */
function isScheduled(name: string): boolean {
  return SCHEDULED_TUNABLES.some((one) => one === name);
}

/** Returns whether a tunable is derived from the rows of each firing, so that it is not recorded. */
function isByRows(name: string, { submitsByRows }: BatchChoices['settings']): boolean {
  return name === 'submits' && submitsByRows === true;
}

/**
 * Returns how to read a firing's manifest, and the settings of its batch, from a schedule's record. A tunable that the
 * record lacks has the default of the versions that did not record it yet.
 */
export function choicesOf(run: ScheduledRun): BatchChoices {
  const { kind, defaults, map, tts, legacyShare, join, split, strict, nameTemplate, assumeSeconds, subset, tunables } =
    run;
  const { firstLookMs, pollGapMs, jobDeadlineMs, trust503, finish, samples, mapIfThere, anyCase, cast } = run;
  const prices = { ...BUILT_IN_PRICES, ...defined(run.prices) };
  const options = defined({
    kind: kind ?? undefined,
    assumeSeconds: assumeSeconds ?? undefined,
    mapIfThere,
    anyCase,
    cast,
    legacyShare,
    join,
    split,
    sheet: run.sheet,
    samples,
  });
  return {
    manifest: { ...options, ...limitsOf(run.textLimit), defaults, map, strict, nameTemplate, subset, prices, tts },
    settings: {
      reading: { kind, defaults, map, tts, ...defined({ anyCase, cast, legacyShare, join, split, finish }) },
      ...applyTuning(EARLIER_TUNABLES, tuningOf(tunables)),
      submitsByRows: tunables.submits === undefined,
      tts,
      prices,
      ...defined({ operations: run.operations, xlsx: run.xlsx, report: run.report }),
      nameTemplate,
      // As in every new batch: only batches of earlier versions lack it.
      safeIds: true,
      firstLookMs,
      pollGapMs,
      jobDeadlineMs,
      trust503,
    },
  };
}

/** Returns a cast in the mutable form that the record's schema has. */
function castOf({ from, members }: Cast): NonNullable<ScheduledRun['cast']> {
  return { from, members: members.map(({ name, values }) => ({ name, values: { ...values } })) };
}
