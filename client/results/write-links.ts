import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import { formatDuration } from '../../contract/times.ts';
import { writeMediaLinks, type WrittenLinks } from '../../results/media-links.ts';
import { openStore } from '../../store/open-store.ts';
import { refuseCleaned } from '../clean/clean.ts';
import { refuseOption } from '../problem.ts';
import { claimOut } from './claim-out.ts';
import type { WriteRequest } from './write-files.ts';

/** Which URLs to write, and where. */
interface WriteLinksRequest extends Pick<WriteRequest, 'ledger' | 'settings' | 'batch' | 'out'> {
  /** How long the URLs are valid, ms. */
  readonly lifetimeMs: number;
}

/** Longest life of a URL, ms: S3 allows no more. */
const MAX_LIFETIME_MS = 7 * 86_400_000;

/**
 * Writes the URLs of a batch's files into its out folder, and none of the files. Throws {@link VoxbatchError}
 * (`bad-option` for a store in a folder, `cleaned`, `unwritable-out`, `taken-out`, `linked-out`).
 */
export async function writeLinks(request: WriteLinksRequest): Promise<WrittenLinks> {
  const { ledger, settings, batch, lifetimeMs } = request;
  const option = 'mediaLinks (--media-links)';
  if (lifetimeMs > MAX_LIFETIME_MS)
    refuseOption(option, 'at most 7d, which is what S3 allows', formatDuration(lifetimeMs));
  refuseCleaned(batch);
  const store = await openStore(settings.store, settings.env);
  try {
    const { urls } = store;
    const expected = 'a store in a bucket, whose files have URLs (without it, results writes the files themselves)';
    if (urls === undefined) return refuseOption(option, expected, settings.store);
    const out = resolve(request.out ?? defaultOut(batch.name));
    await claimOut(out, batch, ledger);
    return await writeMediaLinks({ ledger, batch, urls, out, lifetimeMs });
  } finally {
    await store.close();
  }
}
