import { createIdentify } from '../../inputs/media/media-identity.ts';
import type { Fetch } from '../../inputs/media/probe-media.ts';
import type { MediaIdentity } from '../../policy/cache/result-key.ts';

/** Finds out what is behind links. */
export interface MediaIdentities {
  /**
   * By URL; without those whose servers do not tell. An answer that another asker had is not reused: a person may have
   * replaced the file between two runs.
   */
  of(urls: readonly string[], asker?: string): Promise<ReadonlyMap<string, MediaIdentity>>;
  /** Hosts that were never asked, because they are in a private network, where a manifest must not lead. */
  readonly unasked: ReadonlySet<string>;
}

/** The same for rows of an API: its address says whether URLs may lead into a private network. */
export type IdentifyMedia = (urls: readonly string[], apiUrl: string) => ReturnType<MediaIdentities['of']>;

const NONE: ReadonlyMap<string, MediaIdentity> = new Map();

/** Reads media identities, each URL once a minute and asker at most. */
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
