import type { MediaIdentity } from '../../policy/cache/result-key.ts';
import type { Fetch } from '../../inputs/media/fetch-media.ts';
import { createIdentify } from '../../inputs/media/media-identity.ts';

/** Identifies linked media. */
export interface MediaIdentities {
  /**
   * Identities by URL, without those that servers do not reveal. Answers given to another asker are not reused: the
   * file may have been replaced between two runs.
   */
  of(urls: readonly string[], asker?: string): Promise<ReadonlyMap<string, MediaIdentity>>;
  /** Hosts that were skipped because they are in a private network, which a manifest must not reach. */
  readonly unasked: ReadonlySet<string>;
}

/** Identifies media for an API's rows: the API's URL decides whether links into a private network are allowed. */
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
