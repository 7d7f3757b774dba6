import { createProbe } from '../inputs/create-probe.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import { ManifestError } from '../inputs/problems.ts';
import { summarizeManifest, type SoundManifest } from '../inputs/read-manifest.ts';

/** How the length of media is read. */
export interface ProbeChoice {
  /** Credits; how many rows it pays is part of the bill. */
  readonly budget: number | null;
  /** Called before media are read, with the number of rows. Not called where every row states its length. */
  readonly onProbing?: (rows: number) => void;
}

/**
 * Prices the rows of a sound manifest whose media state no length, by reading it from the media. Which could not be read is in the
 * summary (`notProbed`). It is a pass of its own, so that nothing is fetched for a manifest that is refused, and nothing for one
 * that states all lengths. With the options that it returns, each URL is read only once.
 *
 * @throws ManifestError if the file changed since it was checked.
 */
export async function probeManifest(
  source: ManifestSource,
  { summary, options }: SoundManifest,
  { budget, onProbing }: ProbeChoice,
): Promise<SoundManifest> {
  if (summary.unmeasured === 0) return { summary, options };
  // Those that are not chosen, too: a later run of them finds its prices here.
  onProbing?.(summary.unmeasured);
  const probing = { ...options, probe: createProbe() };
  const probed = await summarizeManifest(source, probing, budget);
  if (probed.digest !== summary.digest) {
    throw new ManifestError(
      `${source.label} changed while it was read. Nothing was spent. Run the same command again.`,
    );
  }
  return { summary: probed, options: probing };
}
