import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isUsableName } from '../../contract/batch-name.ts';
import { outcomeFile, OUTCOMES, type Outcome } from '../../contract/outcomes.ts';
import { pathsIn } from '../../embedded/home.ts';
import { openManifest, type ManifestSource, type OpenOptions } from '../../inputs/manifest-source.ts';
import { isUrl, type FetchManifest } from '../../inputs/manifest-place.ts';
import type { Settings } from '../settings.ts';
import { voxbatchVersion } from '../version.ts';

/** A manifest, or the batch of an outcome file that no longer exists because all its rows now have other outcomes. */
export type OpenedManifest =
  | { readonly type: 'open'; readonly source: ManifestSource }
  | { readonly type: 'gone'; readonly batch: string; readonly outcome: Outcome };

/** Opens a manifest as it was typed. Throws {@link ManifestError}. */
export async function openTyped(path: string, options: OpenOptions): Promise<OpenedManifest> {
  try {
    return { type: 'open', source: await openManifest(path, options) };
  } catch (error) {
    const gone = existsSync(path) ? undefined : await findGone(path);
    if (gone === undefined) throw error;
    return gone;
  }
}

/**
 * Finds the batch of a missing outcome file by the summary beside it; undefined if this is no outcome file, or the
 * batch still has such rows.
 */
async function findGone(path: string): Promise<Extract<OpenedManifest, { readonly type: 'gone' }> | undefined> {
  const outcome = OUTCOMES.find((one) => outcomeFile(one) === basename(path));
  if (outcome === undefined) return undefined;
  const [{ readJson }, { SUMMARY_FILE }, { summarySchema }] = await Promise.all([
    import('../../results/files.ts'),
    import('../../results/out-files.ts'),
    import('../../results/summary.ts'),
  ]);
  const schema = summarySchema.pick({ batch: true, outcomes: true });
  const found = schema.safeParse(await readJson(join(dirname(path), SUMMARY_FILE))).data;
  if (found === undefined || found.outcomes[outcome] > 0 || !isUsableName(found.batch)) return undefined;
  return { type: 'gone', batch: found.batch, outcome };
}

/** A ledger beside a manifest, in which its rows may already have been paid for. */
export interface LedgerBeside {
  readonly folder: string;
  readonly ledger: string;
  /** Whether the working folder has a ledger too. */
  readonly isHere: boolean;
}

/**
 * Finds a ledger beside a manifest that is not the working folder's, which would be used or created. `isUnknown`: the
 * working folder's ledger is known to lack the batch.
 */
export function ledgerBeside(
  { ledger, isLedgerNamed }: Settings,
  manifest: string,
  isUnknown: boolean,
): LedgerBeside | undefined {
  const isHere = existsSync(ledger);
  // A working folder's ledger that may have the batch comes first.
  if (isLedgerNamed || isHere !== isUnknown || manifest === '-' || isUrl(manifest)) return undefined;
  const folder = resolve(dirname(manifest));
  const beside = pathsIn(join(folder, '.voxbatch')).ledger;
  return beside === resolve(ledger) || !existsSync(beside) ? undefined : { folder, ledger: beside, isHere };
}

/** Fetches a manifest interactively, with a user waiting. */
export const fetchManifest: FetchManifest = async (url, receive) =>
  (await import('../../api/fetch-file.ts')).fetchFile(url, receive, {
    userAgent: `voxbatch/${voxbatchVersion()}`,
    pausesMs: [1_000],
  });
