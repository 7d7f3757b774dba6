import { join } from 'node:path';
import type { ResultFile } from '../../ledger/record-types.ts';
import { size } from './size.ts';

/** What is said of a file that was removed. */
export const REMOVED = 'since removed from the store';

/** Size and content of a stored file, and whether it was removed since. */
export function contentOf({ bytes, sha256, removedAt }: ResultFile): string {
  return `${size(bytes)}, sha256 ${sha256}${removedAt === undefined ? '' : `, ${REMOVED}`}`;
}

/** Where a stored file is; null if there is none. `store`: the folder of the store, absolute. */
export function pathOf(file: ResultFile | null, store: string): string | null {
  return file === null || file.removedAt !== undefined ? null : join(store, file.key);
}
