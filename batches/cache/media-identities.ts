import type { MediaIdentity } from '../../policy/cache/result-key.ts';
import type { Fetch } from '../../inputs/media/fetch-media.ts';
import { createIdentify } from '../../inputs/media/media-identity.ts';

/** Identifies the media behind links, so that a cache key changes if the file behind a link does. */
export interface MediaIdentities {
  /**
   * Reads identities by URL; omits media whose server reveals none. `asker`: a run's name; runs do not share answers,
   * because a file may have been replaced between two runs.
   */
  of(urls: readonly string[], asker?: string): Promise<ReadonlyMap<string, MediaIdentity>>;
  /** Hosts that were skipped: they are in a private network, which a manifest must not reach. */
  readonly unasked: ReadonlySet<string>;
}

/** Identifies media for rows of an API. `apiUrl` decides whether links into a private network are allowed. */
export type IdentifyMedia = (urls: readonly string[], apiUrl: string) => ReturnType<MediaIdentities['of']>;

const NONE: ReadonlyMap<string, MediaIdentity> = new Map();

/** Reads media identities, each URL at most once per minute and asker. */
export function readMediaIdentities(fetch: Fetch): MediaIdentities {
  const unasked = new Set<string>();
  const identify = createIdentify(fetch, { onPrivate: ({ host }) => unasked.add(host) });
  return {
    unasked,
    async of(urls, asker) {
      if (urls.length === 0) return NONE;
      const found = await Promise.all(urls.map(async (url) => [url, await identify(url, asker)] as const));
      return new Map(found.flatMap(([url, identity]) => (identity === undefined ? [] : [[url, identity]])));
    },
  };
}
