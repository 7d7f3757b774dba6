import pLimit from 'p-limit';
import type { Probe, ProbeResult } from './probe-media.ts';
import { PATIENCE, SilentOrigins } from './silent-origins.ts';

/**
 * Creates a probe for the rows of a manifest. It reads each URL once, however many rows name it, and a few at a time.
 * An origin that is down does not cost every row its whole time limit.
 *
 * @param probe reads one URL
 * @param atOnce how many URLs are read at once; default 8
 */
export function createProbe(probe: Probe, atOnce = 8): Probe {
  const limit = pLimit(atOnce);
  const known = new Map<string, Promise<ProbeResult>>();
  const silent = new SilentOrigins();
  const read = async (url: string): Promise<ProbeResult> => {
    const { origin } = new URL(url);
    if (silent.isGivenUp(origin))
      return { why: `not tried: its server failed to answer ${PATIENCE} times`, isSilent: true };
    const result = await probe(url);
    silent.note(origin, 'why' in result && result.isSilent);
    return result;
  };
  return (url) => {
    const before = known.get(url);
    if (before !== undefined) return before;
    const result = limit(() => read(url));
    known.set(url, result);
    return result;
  };
}
