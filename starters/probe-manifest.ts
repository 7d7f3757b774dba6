import { createProbe } from '../inputs/create-probe.ts';
import type { ManifestOptions } from '../inputs/manifest-reader.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import { ManifestError } from '../inputs/problems.ts';
import { checkManifest, type ManifestSummary } from '../inputs/read-manifest.ts';
import { namedRowLines } from './check-spend.ts';
import type { Output } from './terminal/output.ts';
import { number } from './terminal/progress.ts';

/** A manifest that is sound, and how its rows are to be read and priced. */
export interface PricedManifest {
  readonly summary: ManifestSummary;
  readonly options: ManifestOptions;
}

/**
 * Prices the rows of a sound manifest whose media state no length, by reading it from the media (`--probe`), and says which
 * could not be read. It is a pass of its own, so that nothing is fetched for a manifest that is refused, and nothing for one
 * that states all lengths. With the options that it returns, each URL is read only once.
 */
export async function probeManifest(
  source: ManifestSource,
  { summary, options }: PricedManifest,
  budget: number | null,
  output: Output,
): Promise<PricedManifest> {
  const missing = Object.values(summary.kinds).reduce((sum, kind) => sum + kind.unpriced + kind.assumed, 0);
  if (missing === 0) return { summary, options };
  output.say(`Reading the length of the media of ${number(missing)} rows (free) …`);
  const probing = { ...options, probe: createProbe() };
  const probed = await checkManifest(source, probing, budget);
  if (probed.digest !== summary.digest) {
    throw new ManifestError(
      `${source.label} changed while it was read. Nothing was spent. Run the same command again.`,
    );
  }
  const { notProbed } = probed;
  if (notProbed.count > 0) {
    const then =
      options.assumeSeconds === undefined
        ? 'they have no price'
        : `they are priced at ${String(options.assumeSeconds)} s (--assume-seconds)`;
    output.say(`The length could not be read for ${number(notProbed.count)} rows; ${then}:`);
    for (const line of namedRowLines(notProbed)) output.say(line);
  }
  return { summary: probed, options: probing };
}
