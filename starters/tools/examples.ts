import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KINDS, type Kind } from '../../contract/row-kinds.ts';

/** Examples of whole tasks, beside the one of each kind. */
const TASKS = ['nightly-catalogue', 'weekly-digest'] as const;

/** An example manifest that the package brings along, without its extension. */
export type Example = Kind | (typeof TASKS)[number];

export const EXAMPLES: readonly Example[] = [...KINDS, ...TASKS];

/** Path of an example. Throws if the installation lacks it. */
export function examplePath(example: Example): string {
  // Beside the compiled code: two folders above this file, or three if it is compiled.
  const places = ['../../inputs/examples/', '../../../inputs/examples/'].map((up) =>
    fileURLToPath(new URL(`${up}${example}.csv`, import.meta.url)),
  );
  const found = places.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error(`The example ${example} is missing from this installation. Reinstall voxbatch.`);
  return found;
}
