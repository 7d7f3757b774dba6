import { existsSync } from 'node:fs';

/**
 * The compiled file that a thread starts with, found from the module that asks (`import.meta.url`): beside its room, or, where all
 * modules were bundled into one file, in that file's folder. Undefined where there is none, as when the code runs from its
 * TypeScript source, which Node 20 cannot start; the caller then does the same work in its own thread.
 *
 * @param name path below the folder of the compiled code, without extension: `store/media-thread`
 */
export function findThreadEntry(from: string, name: string): URL | undefined {
  if (from.endsWith('.ts')) return undefined;
  return [new URL(`../${name}.js`, from), new URL(`./${name}.js`, from)].find((place) => existsSync(place));
}
