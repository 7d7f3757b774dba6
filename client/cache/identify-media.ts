import { readMediaIdentities, type IdentifyMedia, type MediaIdentities } from '../../batches/cache/media-identities.ts';
import { createMediaFetch } from '../../api/create-fetch.ts';

/** Learns what is behind links, each once a minute at most, for whatever this process prices. Free. */
export const identifyMedia: IdentifyMedia = (urls, apiUrl) => identitiesFor(apiUrl).of(urls);

/** Hosts of private networks that were not asked for rows of this API; see {@link MediaIdentities.unasked}. */
export function unaskedHosts(apiUrl: string): ReadonlySet<string> {
  return identitiesFor(apiUrl).unasked;
}

function identitiesFor(apiUrl: string): MediaIdentities {
  const found = identities.get(apiUrl) ?? readMediaIdentities(createMediaFetch(apiUrl));
  identities.set(apiUrl, found);
  return found;
}

/** By the address of the API. */
const identities = new Map<string, MediaIdentities>();
