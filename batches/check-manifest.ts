import type { ManifestOptions } from '../inputs/manifest-reader.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import { checkManifest as readThrough, type ManifestSummary } from '../inputs/read-manifest.ts';

/** A manifest that is sound, and how its rows are to be read and priced. */
export interface SoundManifest {
  readonly summary: ManifestSummary;
  readonly options: ManifestOptions;
}

/** A file with rows of a batch that is there. */
export interface OutcomeFile {
  readonly is: 'outcome-file';
  /** The batch's name. */
  readonly batch: string;
}

/** What a file is: a manifest that may become a batch, one with faults, or an outcome file, which is there to be redriven. */
export type CheckedManifest =
  | ({ readonly is: 'sound' } & SoundManifest)
  | { readonly is: 'faulty'; readonly summary: ManifestSummary }
  | OutcomeFile;

/**
 * Reads a manifest to its end, checks and prices every row, and says what the file is. Everything that is wrong is in the summary at
 * once. `budget`: credits; how many rows it pays is then part of the bill. Changes nothing, spends nothing.
 */
export async function checkManifest(
  source: ManifestSource,
  options: ManifestOptions,
  budget: number | null,
): Promise<CheckedManifest> {
  const summary = await readThrough(source, options, budget);
  const { previousBatch, problems, problemCount } = summary;
  // With rows of several batches it is that of none, which is its fault.
  if (previousBatch !== null && problems.every(({ code }) => code !== 'mixed-batches')) {
    return { is: 'outcome-file', batch: previousBatch };
  }
  return problemCount === 0 ? { is: 'sound', summary, options } : { is: 'faulty', summary };
}
