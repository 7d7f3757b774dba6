import { createMediaFetch } from '../api/create-media-fetch.ts';
import { readMediaIdentities, type IdentifyMedia, type MediaIdentities } from '../batches/media-identities.ts';

/** Learns what is behind links, each once a minute at most, for whatever this process prices. Free. */
export const identifyMedia: IdentifyMedia = (urls, apiUrl) => {
  const found = identities.get(apiUrl) ?? readMediaIdentities(createMediaFetch(apiUrl));
  identities.set(apiUrl, found);
  return found.of(urls);
};

/** By the address of the API. */
const identities = new Map<string, MediaIdentities>();
