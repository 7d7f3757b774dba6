import { createProbe } from '../../inputs/media/probe-media.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { createProbeReader } from '../../inputs/media/probe-reader.ts';
import { ManifestError } from '../../contract/manifest-problems.ts';
import { summarizeManifest, type SoundManifest } from '../../inputs/read-manifest.ts';

/** How the length of media is read. */
export interface ProbeChoice {
  /** Credits; the bill says how many rows it covers. */
  readonly budget: number | null;
  /** Address of the API; undefined if none is set. Private media are read only if it is private, too. */
  readonly apiUrl: string | undefined;
  /** Called before media are read, with the number of rows. Not called if every row states its length. */
  readonly onProbing?: (rows: number) => void;
}

/**
 * Reads the missing lengths of a valid manifest's media and prices its rows. `notProbed` in the summary has the
 * unreadable ones. This is a separate pass, so that nothing is fetched for a manifest that is refused, or that states
 * all lengths. With the returned options, each URL is read only once.
 *
 * @throws ManifestError if the file changed since it was checked.
 */
export async function probeManifest(
  source: ManifestSource,
  { summary, options }: SoundManifest,
  { budget, apiUrl, onProbing }: ProbeChoice,
): Promise<SoundManifest> {
  if (summary.unmeasured === 0) return { summary, options };
  // Includes rows that are not chosen: a later run needs their prices.
  onProbing?.(summary.unmeasured);
  const reader = createProbeReader(apiUrl);
  const probing = { ...options, probe: createProbe(reader.read) };
  const probed = await summarizeManifest(source, probing, budget).finally(() => reader.close());
  if (probed.digest !== summary.digest) {
    throw new ManifestError(
      `${source.label} changed while it was read. Nothing was spent. Run the same command again.`,
    );
  }
  return { summary: probed, options: probing };
}
