import { readFile } from 'node:fs/promises';
import { isAbsent } from './system-errors.ts';

/** The value of a JSON file; undefined if it is missing or not JSON. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
