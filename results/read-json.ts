import { NotRegular, readRegular } from '../inputs/regular-file.ts';
import { isAbsent } from './system-errors.ts';

/** The value of a JSON file; undefined if it is missing, no regular file, or not JSON. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readRegular(path));
  } catch (error) {
    if (isAbsent(error) || error instanceof NotRegular || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
