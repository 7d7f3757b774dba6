import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { birthOf, type KnownFile } from '../../policy/trust/known-file.ts';

/**
 * The file of a ledger; undefined if it is not there, or is no file. In its path, links are resolved up to the folder that
 * holds its home: `.voxbatch` itself may be a link to one that its user has confirmed elsewhere, and the commands of that
 * one would run in this folder.
 */
export function ledgerFile(address: string): KnownFile | undefined {
  try {
    const home = dirname(resolve(address));
    const path = join(realpathSync(dirname(home)), basename(home), basename(address));
    const found = statSync(path);
    return { path, inode: found.ino, born: birthOf(found, statSync(process.execPath), process.platform) };
  } catch {
    return undefined;
  }
}
