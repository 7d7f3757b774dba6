import { createIdentify, type Identify } from '../inputs/media-identity.ts';
import type { MediaIdentity } from '../policy/result-key.ts';

/** Finds out what is behind links. */
export interface MediaIdentities {
  /** By URL; without those whose servers do not tell. */
  of(urls: readonly string[]): Promise<ReadonlyMap<string, MediaIdentity>>;
}

const NONE: ReadonlyMap<string, MediaIdentity> = new Map();

/** Reads media identities, each URL once a minute at most. */
export function readMediaIdentities(identify: Identify = createIdentify()): MediaIdentities {
  return {
    async of(urls) {
      if (urls.length === 0) return NONE;
      const found = await Promise.all(urls.map(async (url) => [url, await identify(url)] as const));
      return new Map(found.flatMap(([url, identity]) => (identity === undefined ? [] : [[url, identity]])));
    },
  };
}
