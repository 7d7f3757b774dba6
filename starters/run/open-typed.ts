import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isUsableName } from '../../batches/batch-name.ts';
import { OUTCOMES, outcomeFile } from '../../contract/outcomes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { openManifest, type ManifestSource } from '../../inputs/manifest-source.ts';
import { readJson } from '../../results/read-json.ts';
import { SUMMARY_FILE, summarySchema } from '../../results/summary.ts';
import { ExitError } from '../exit-error.ts';

const standing = summarySchema.pick({ batch: true, outcomes: true });

/**
 * Opens a manifest as it was typed. Throws {@link ExitError} `usage` for an outcome file that is gone because all its rows have ended otherwise: whoever
 * runs `failed.csv` again, as other messages say, has no manifest that cannot be read. Throws {@link ManifestError}.
 */
export async function openTyped(path: string): Promise<ManifestSource> {
  try {
    return await openManifest(path);
  } catch (error) {
    throw (existsSync(path) ? undefined : await withoutRows(path)) ?? error;
  }
}

/** Why there is no such outcome file any more, by the summary in its folder; undefined: it is none, or the batch still has such rows. */
async function withoutRows(path: string): Promise<ExitError | undefined> {
  const outcome = OUTCOMES.find((one) => outcomeFile(one) === basename(path));
  if (outcome === undefined) return undefined;
  const found = standing.safeParse(await readJson(join(dirname(path), SUMMARY_FILE))).data;
  if (found === undefined || found.outcomes[outcome] > 0 || !isUsableName(found.batch)) return undefined;
  const look = `voxbatch status ${shellWord(found.batch)}`;
  return new ExitError(
    'usage',
    `Batch "${found.batch}" has no ${outcome} rows any more, so there is no ${path}. Nothing was sent. Nothing was spent. To look at the batch: ${look}`,
    { next: look },
  );
}
