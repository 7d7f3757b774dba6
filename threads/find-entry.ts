import { existsSync } from 'node:fs';

/**
 * Where the root of the compiled code can be, relative to a module: its own folder if all modules are bundled into one
 * file, else one or two folders up.
 */
const ABOVE = ['.', '..', '../..'];

/**
 * Finds a thread's compiled entry, starting from the calling module (`import.meta.url`): beside its room or, if all
 * modules were bundled into one file, in that file's folder. Undefined if there is none, as when the code runs from
 * TypeScript source, which Node 20 cannot start. The caller then does the work in its own thread.
 *
 * @param name path below the folder of the compiled code, without extension: `store/media-thread`
 */
export function findThreadEntry(from: string, name: string): URL | undefined {
  if (from.endsWith('.ts')) return undefined;
  return ABOVE.map((above) => new URL(`${above}/${name}.js`, from)).find((place) => existsSync(place));
}
