import type { SpeechApi } from '../../api/speech-api.ts';
import { knowVoices, NO_VOICES, withVoiceProblems, type KnownVoices } from '../../client/voices/know-voices.ts';
import { createApi } from '../../client/open-api.ts';
import type { ApiAccess, Settings } from '../../client/settings.ts';
import type { ManifestSummary, SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { nameAskedFor } from '../../policy/voices/voice-name.ts';
import { readApiAccess } from '../connect/settings.ts';

/**
 * What a plan knows of the voices of a manifest; the API's list is free. Without an API nobody can tell: a warning says
 * so if voices are named. Throws {@link VoxbatchError} (`voices-unread`) if they are, and the list cannot be read.
 */
export async function planVoices(
  settings: Settings,
  flags: { readonly apiUrl?: string },
  manifest: SoundManifest,
  ledger: Ledger | undefined,
): Promise<KnownVoices> {
  const { uses, makers } = manifest.summary.voices;
  if (uses.length + makers.length === 0) return NO_VOICES;
  const access = accessIfAny(settings, flags);
  if (access === undefined) return withoutApi(manifest);
  const api = createApi(access);
  try {
    return await knowVoices(api, manifest, ledger);
  } finally {
    api.close();
  }
}

/**
 * The problems of a faulty manifest with those of its voices, as far as the API's list can be read; free. Never throws a
 * {@link VoxbatchError}.
 */
export async function planFaultyVoices(
  settings: Settings,
  flags: { readonly apiUrl?: string },
  manifest: SoundManifest,
): Promise<ManifestSummary> {
  const access = accessIfAny(settings, flags);
  if (access === undefined) return manifest.summary;
  let api: SpeechApi | undefined;
  const reach = (): SpeechApi => (api = createApi(access));
  return withVoiceProblems(manifest, settings, () => Promise.resolve().then(reach)).finally(() => api?.close());
}

function accessIfAny(settings: Settings, flags: { readonly apiUrl?: string }): ApiAccess | undefined {
  try {
    return readApiAccess(settings, flags);
  } catch {
    return undefined;
  }
}

function withoutApi({ summary: { voices } }: SoundManifest): KnownVoices {
  const named = voices.uses.filter(({ voice }) => nameAskedFor(voice) !== undefined);
  const [first] = named;
  if (first === undefined) return NO_VOICES;
  const rows = named.reduce((sum, use) => sum + use.rows, 0);
  const message = 'without an API and a token nobody can tell which voices these names stand for; run needs to know';
  return { ...NO_VOICES, warnings: [{ column: voices.columns.voice, message, line: first.line, rows }] };
}
