import { kindOfStore } from '../../store/supported-stores.ts';
import { serveMediaOf, unreachableReason, type ServeMediaSettings } from '../../contract/serve-media.ts';
import { NO_LINKS, type LocalMediaRules } from '../../inputs/local-media/path-cells.ts';

/**
 * What becomes of local `audio` and `video` under these settings: a store with URLs hands them out, too. On a
 * cluster the settings of the workers count in the end; the command that starts a batch must be given the same.
 *
 * @param apiUrl undefined if no API is configured; then it may reach any address
 */
export function localMediaRules(
  { config, store }: { readonly config: ServeMediaSettings; readonly store: string },
  apiUrl: string | undefined,
): LocalMediaRules {
  const place = serveMediaOf(config);
  if (place === undefined) return kindOfStore(store).hasUrls ? { type: 'links' } : NO_LINKS;
  const expected = unreachableReason(place, apiUrl);
  return expected === undefined ? { type: 'links' } : { type: 'none', expected };
}
