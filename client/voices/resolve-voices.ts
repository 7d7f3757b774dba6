import type { SpeechApi } from '../../api/speech-api.ts';
import type { CheckedVoices } from '../../batches/voices/check-voices.ts';
import type { ManifestSummary, SoundManifest } from '../../inputs/read-manifest.ts';
import type { VoiceUse } from '../../inputs/voices/voice-uses.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { JobHolder } from '../../ledger/requests/unresolved.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';
import { createApi } from '../connect-api.ts';
import { openRecordsIfAny } from '../open-records.ts';
import { VoxbatchError } from '../problem.ts';
import type { ApiAccess, Settings } from '../settings.ts';

/** A manifest's voices as resolved by the API's list, or their problems. */
export type ResolvedVoices = Exclude<CheckedVoices, { readonly type: 'unread' }>;

/** Result when nothing had to be looked up. */
export const NO_VOICES: Extract<ResolvedVoices, { readonly type: 'sound' }> = {
  type: 'sound',
  voices: new Map(),
  warnings: [],
};

/**
 * Looks up a manifest's voices in the API's list; free. `ledger`: shows which rows made voices before, if there is one.
 * Throws {@link VoxbatchError} (`voices-unread`) if the manifest uses voice names and the list cannot be read.
 */
export async function resolveVoices(
  api: SpeechApi,
  manifest: SoundManifest,
  ledger: Ledger | undefined,
): Promise<ResolvedVoices> {
  const checked = await checkBy(api, manifest, ledger);
  if (checked.type !== 'unread') return checked;
  const { why, names, first } = checked;
  throw new VoxbatchError({ type: 'voices-unread', why, names, first });
}

/**
 * Adds a faulty manifest's voice problems and warnings to its own, so that all are reported at once. The list is
 * optional here: it gets a short timeout, and failures to read it are reported only once the manifest is valid.
 */
export async function withListedVoices(
  { summary, options }: SoundManifest,
  settings: Settings,
  access: () => ApiAccess | Promise<ApiAccess>,
): Promise<ManifestSummary> {
  const { uses } = summary.voices;
  // For ids of rows without an engine, the list only yields warnings.
  const mayBeWrong = ({ voice, engines }: VoiceUse): boolean =>
    requestedVoiceName(voice) !== undefined || engines.size > 0;
  if (!uses.some((use) => options.strict || mayBeWrong(use))) return summary;
  const found = await accessIfAny(access);
  if (found === undefined) return summary;
  let api: SpeechApi | undefined;
  let ledger: Ledger | undefined;
  try {
    api = await createApi(found);
    ledger = await openRecordsIfAny(settings);
    return merged(summary, await checkBy(api, { summary, options }, ledger, false));
  } catch (error) {
    if (error instanceof VoxbatchError) return summary;
    throw error;
  } finally {
    api?.close();
    await ledger?.close();
  }
}

/**
 * Resolves a manifest's voices before it is run; the API's list is free. Without an API they are unknown, which a
 * warning says if voices are used by name. Throws {@link VoxbatchError} (`voices-unread`).
 */
export async function resolveListedVoices(
  manifest: SoundManifest,
  access: () => ApiAccess | Promise<ApiAccess>,
  ledger: Ledger | undefined,
): Promise<ResolvedVoices> {
  const { uses, makers } = manifest.summary.voices;
  if (uses.length + makers.length === 0) return NO_VOICES;
  const found = await accessIfAny(access);
  if (found === undefined) return withoutApi(manifest);
  const api = await createApi(found);
  try {
    return await resolveVoices(api, manifest, ledger);
  } finally {
    api.close();
  }
}

/** Returns how to access the API; undefined if none is configured or it may not be used. */
async function accessIfAny(access: () => ApiAccess | Promise<ApiAccess>): Promise<ApiAccess | undefined> {
  try {
    return await access();
  } catch {
    return undefined;
  }
}

function withoutApi({ summary: { voices } }: SoundManifest): ResolvedVoices {
  const named = voices.uses.filter(({ voice }) => requestedVoiceName(voice) !== undefined);
  const [first] = named;
  if (first === undefined) return NO_VOICES;
  const rows = named.reduce((sum, use) => sum + use.rows, 0);
  const message = 'without an API and a token nobody can tell which voices these names stand for; run needs to know';
  return {
    ...NO_VOICES,
    warnings: [
      {
        column: first.speaker === undefined ? voices.columns.voice : voices.columns.speaker,
        message,
        line: first.line,
        rows,
      },
    ],
  };
}

/**
 * Checks voices by the API's list and this ledger's rows.
 *
 * @param mayWait false gives the list a short timeout, because the result is optional
 */
async function checkBy(
  api: SpeechApi,
  manifest: SoundManifest,
  ledger: Ledger | undefined,
  mayWait = true,
): Promise<CheckedVoices> {
  const [{ checkVoices }, { readVoicesIn }] = await Promise.all([
    import('../../batches/voices/check-voices.ts'),
    import('../../api/voices/read-voices.ts'),
  ]);
  return checkVoices(manifest, (wanted, dialect) => readVoicesIn(api, dialect, wanted), {
    madeBy: (id) => rowThatMade(id, api.baseUrl, ledger),
    mayWait,
  });
}

/** Adds the problems and warnings about voices to those of a manifest. */
function merged(summary: ManifestSummary, ofVoices: CheckedVoices): ManifestSummary {
  if (ofVoices.type === 'unread') return summary;
  if (ofVoices.type === 'sound') return { ...summary, warnings: [...summary.warnings, ...ofVoices.warnings] };
  const { problems, problemCount, warnings } = ofVoices.summary;
  const all = [...summary.problems, ...problems];
  // Across several files, line numbers give no order.
  if (all.every(({ file }) => file === undefined)) all.sort((one, other) => one.line - other.line);
  return {
    ...summary,
    warnings: [...summary.warnings, ...warnings],
    problems: all,
    problemCount: summary.problemCount + problemCount,
  };
}

/** The row that made a voice at an API, for any account. */
async function rowThatMade(
  voiceId: string,
  apiUrl: string,
  ledger: Ledger | undefined,
): Promise<JobHolder | undefined> {
  for (const account of (await ledger?.accountsAt(apiUrl)) ?? []) {
    const holder = await ledger?.holderOfJob(apiUrl, account, 'voice', voiceId);
    if (holder !== undefined) return holder;
  }
  return undefined;
}
