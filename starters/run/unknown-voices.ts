import { createApi } from '../../client/open-api.ts';
import type { Settings } from '../../client/settings.ts';
import { nearestName } from '../../inputs/nearest-name.ts';
import type { ManifestWarning } from '../../inputs/problems.ts';
import type { VoiceUse } from '../../inputs/voice-uses.ts';
import { readApiAccess } from '../connect/settings.ts';

/** Nobody waits longer than this for a warning, ms. */
const PATIENCE_MS = 5_000;
/** How many letters a voice may differ from one of the list to count as a typo. */
const SLIP = 2;

/**
 * A warning for each voice of a manifest that is not in the API's list; the list is free. None if no token is set, or
 * the list cannot be read. Never throws.
 */
export async function warnOfUnknownVoices(
  settings: Settings,
  flags: { readonly apiUrl?: string },
  uses: readonly VoiceUse[],
): Promise<readonly ManifestWarning[]> {
  if (uses.length === 0) return [];
  try {
    const api = createApi(readApiAccess(settings, flags));
    try {
      return await findUnknownVoices(api, uses);
    } finally {
      api.close();
    }
  } catch {
    return [];
  }
}

/** The same with an API that is open. */
export async function findUnknownVoices(
  api: Pick<ReturnType<typeof createApi>, 'listVoices'>,
  uses: readonly VoiceUse[],
): Promise<readonly ManifestWarning[]> {
  if (uses.length === 0) return [];
  const missing = new Map(uses.map((use) => [use.voice, use]));
  const listed: string[] = [];
  try {
    for await (const { id } of api.listVoices(undefined, AbortSignal.timeout(PATIENCE_MS))) {
      listed.push(id);
      missing.delete(id);
      // The list may be long.
      if (missing.size === 0) return [];
    }
  } catch {
    return [];
  }
  return [...missing.values()].map(({ voice, rows, line }) => ({
    column: 'voice',
    message: wordsFor(voice, listed),
    line,
    rows,
  }));
}

function wordsFor(voice: string, listed: readonly string[]): string {
  const { name, distance } = nearestName(voice, listed);
  const hint = distance <= SLIP ? `; the nearest is ${name}` : '';
  return `"${voice}" is not in the API's list of voices${hint} (voxbatch voices list)`;
}
