import { link, rename } from 'node:fs/promises';
import { lstatsOf } from './media.ts';
import { codeOf, isAbsent } from './system-errors.ts';

/**
 * Gives a file a further name, unless something has it: false then. Where the disk does not support hard links, the file
 * has only the new name afterwards.
 */
export async function nameAlso(path: string, further: string): Promise<boolean> {
  try {
    await link(path, further);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (isAbsent(error)) throw error;
    if ((await lstatsOf(further)) !== undefined) return false;
    await rename(path, further);
    return true;
  }
}
