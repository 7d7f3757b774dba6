import type { IdentifyMedia } from '../../batches/cache/media-identities.ts';
import { identifyMedia, unaskedHosts } from '../../client/cache/identify-media.ts';
import type { Output } from '../terminal/output.ts';
import { oneLine } from '../terminal/table.ts';

/** Learns what is behind the links of a manifest for `plan`, and says once that hosts are asked, and why. */
export function identifyAloud(output: Pick<Output, 'say'>): IdentifyMedia {
  const identify = identifyWarning(output);
  let isSaid = false;
  return (urls, apiUrl) => {
    if (urls.length > 0 && !isSaid) output.say(WORDS);
    isSaid ||= urls.length > 0;
    return identify(urls, apiUrl);
  };
}

/** Learns what is behind links before they are paid for, and says once of each host that it is not asked, and what that costs. */
export function identifyWarning({ say }: Pick<Output, 'say'>): IdentifyMedia {
  const said = new Set<string>();
  return async (urls, apiUrl) => {
    const found = await identifyMedia(urls, apiUrl);
    const hosts = [...unaskedHosts(apiUrl)].filter((host) => !said.has(host));
    for (const host of hosts) said.add(host);
    if (hosts.length > 0) say(unaskedText(hosts));
    return found;
  };
}

/** Hosts that are named for themselves. */
const NAMED = 5;

function unaskedText(hosts: readonly string[]): string {
  const more = hosts.length > NAMED ? ` and ${String(hosts.length - NAMED)} more` : '';
  return (
    `warning: Media on ${hosts.slice(0, NAMED).map(oneLine).join(', ')}${more} are in a private network as this machine sees it, where a manifest must not lead. ` +
    'So it is not known what they are, and rows with them are not found in the cache: a result that is there already is paid for again.'
  );
}

const WORDS =
  'Asks the servers of the media what each file is (one byte, no token), because a result of the same file is free. ' +
  'With --cache fresh or --cache off nothing is asked.';
