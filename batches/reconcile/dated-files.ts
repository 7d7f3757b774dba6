import type { DatedResultFile, NamedResultFile } from '../../contract/named-result-file.ts';
import type { Store } from '../../store/store.ts';

/** Keeps the files that still exist, and adds when each was written. */
export async function withTimes(
  store: Pick<Store, 'measure'>,
  files: readonly NamedResultFile[],
): Promise<readonly DatedResultFile[]> {
  const measured = await store.measure(files.map(({ key }) => key));
  return files.flatMap((file, at) => {
    const writtenAt = measured[at]?.writtenAt;
    return writtenAt === undefined ? [] : [{ ...file, writtenAt: Math.round(writtenAt) }];
  });
}
