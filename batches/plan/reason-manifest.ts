import { stepsIn } from '../../contract/row-kinds.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { readPortions, type ManifestSummary, type SoundManifest } from '../../inputs/read-manifest.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import { Reasoner, type ReasonRequest } from './reasoner.ts';

/** A manifest, billed without what is there already, and why its rows are paid for. */
export interface ReasonedManifest {
  readonly summary: ManifestSummary;
  readonly reasons: RowReasons;
}

/**
 * Compares the chosen rows of a valid manifest with what the ledger knows: which results are there already, and how a
 * row differs from the last one of its id. Reads the manifest once more. Changes nothing, spends nothing.
 *
 * @throws ManifestError if the file changed since it was checked.
 */
export async function reasonManifest(
  source: ManifestSource,
  { summary, options }: SoundManifest,
  request: ReasonRequest,
): Promise<ReasonedManifest> {
  const reasoner = new Reasoner(request);
  for await (const rows of readPortions(source, options, summary)) {
    for (const row of rows) {
      const lookUp = summary.isChosen(row) ? reasoner.add({ ...row, steps: stepsIn(row.spec) }) : undefined;
      if (lookUp !== undefined) await lookUp;
    }
  }
  await reasoner.finish();
  return { summary: { ...summary, ...reasoner.bill.summary() }, reasons: reasoner.groups.result() };
}
