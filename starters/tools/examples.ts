import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KINDS, type Kind } from '../../contract/row-kinds.ts';

/** Examples of whole tasks. There is also one for each kind of row. */
const TASKS = ['nightly-catalogue', 'weekly-digest'] as const;

/** The name of an example manifest in the package, without its extension. */
export type Example = Kind | (typeof TASKS)[number];

/** One for each kind of rows, and one for each task that `init` can set up. */
export const EXAMPLES: readonly Example[] = [...KINDS, ...TASKS];

/** Returns the path of an example manifest. Throws if the installation lacks it. */
export function examplePath(example: Example): string {
  // Two folders above this file, or three if it is compiled, since `dist/` is one more.
  const places = ['../../inputs/examples/', '../../../inputs/examples/'].map((up) =>
    fileURLToPath(new URL(`${up}${example}.csv`, import.meta.url)),
  );
  const found = places.find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(`The example ${example} is missing from this installation. Reinstall voxbatch.`);
  return found;
}
