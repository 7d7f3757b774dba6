import { kindOfStore } from '../../store/supported-stores.ts';
import { serveMediaOf, unreachableReason, type ServeMediaSettings } from '../../contract/serve-media.ts';
import { NO_LINKS, type LocalMediaRules } from '../../inputs/local-media/path-cells.ts';

/**
 * Decides whether manifests may name local `audio` and `video` files under these settings: voxbatch must serve the
 * files (`serveMedia`), or the store must have URLs. On a cluster the workers create the links, so the command that
 * starts a batch must have the same settings as they.
 *
 * @param apiUrl undefined if no API is configured; then any address counts as reachable
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
