import type { IdentifyMedia, MediaIdentities } from '../../batches/cache/media-identities.ts';

/** Learns what is behind links, each once a minute at most, for whatever this process prices. Free. */
export const identifyMedia: IdentifyMedia = async (urls, apiUrl) =>
  urls.length === 0 ? new Map() : (await identitiesFor(apiUrl)).of(urls);

/** Hosts of private networks that were not asked for rows of this API; see {@link MediaIdentities.unasked}. */
export function unaskedHosts(apiUrl: string): ReadonlySet<string> {
  return identities.get(apiUrl)?.unasked ?? new Set();
}

async function identitiesFor(apiUrl: string): Promise<MediaIdentities> {
  const [{ createMediaFetch }, { readMediaIdentities }] = await Promise.all([
    import('../../api/create-media-fetch.ts'),
    import('../../batches/cache/media-identities.ts'),
  ]);
  const found = identities.get(apiUrl) ?? readMediaIdentities(createMediaFetch(apiUrl));
  identities.set(apiUrl, found);
  return found;
}

/** By the address of the API. */
const identities = new Map<string, MediaIdentities>();
