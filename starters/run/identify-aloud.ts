import type { IdentifyMedia } from '../../batches/media-identities.ts';
import { identifyMedia } from '../../client/identify-media.ts';
import type { Output } from '../terminal/output.ts';

/** Learns what is behind the links of a manifest for `plan`, and says once that hosts are asked, and why. */
export function identifyAloud(output: Pick<Output, 'say'>): IdentifyMedia {
  let isSaid = false;
  return (urls, apiUrl) => {
    if (urls.length > 0 && !isSaid) output.say(WORDS);
    isSaid ||= urls.length > 0;
    return identifyMedia(urls, apiUrl);
  };
}

const WORDS =
  'Asks the servers of the media what each file is (one byte, no token), because a result of the same file is free. ' +
  'With --cache fresh or --cache off nothing is asked.';
