import { createFetch } from '../api/create-fetch.ts';
import { readMediaIdentities, type MediaIdentities } from '../batches/media-identities.ts';

/** Learns what is behind links, each once a minute at most, for whatever this process prices. Free. */
export const identifyMedia: MediaIdentities['of'] = (urls) => identities.of(urls);

const identities = readMediaIdentities(createFetch());
