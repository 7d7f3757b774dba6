import { existsSync } from 'node:fs';

/**
 * Candidates for the root of the compiled code, relative to a module: its own folder if all modules are bundled into
 * one file, else one or two folders up.
 */
const ROOTS = ['.', '..', '../..'];

/**
 * Finds the compiled module that a thread runs. Returns undefined if there is none, as when the code runs from
 * TypeScript source, which Node 20 cannot start; the caller then does the work in its own thread.
 *
 * @param from `import.meta.url` of the calling module
 * @param name path below the folder of the compiled code, without extension: `store/media-thread`
 */
export function findThreadEntry(from: string, name: string): URL | undefined {
  if (from.endsWith('.ts')) return undefined;
  return ROOTS.map((root) => new URL(`${root}/${name}.js`, from)).find((url) => existsSync(url));
}
