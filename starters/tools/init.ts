import { constants, existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ExitName } from '../../contract/exit-codes.ts';
import { KINDS, type Kind } from '../../contract/row-kinds.ts';
import { messageOf } from '../../client/problem.ts';
import { ExitError } from '../exit-error.ts';
import type { Output } from '../terminal/output.ts';

/** `voxbatch init [KIND]`: writes an example manifest of a kind. Never overwrites. */
export async function init(kind: Kind, flags: { readonly out?: string }, output: Output): Promise<ExitName> {
  const file = flags.out ?? `${kind}.csv`;
  const example = examplePath(`${kind}.csv`);
  try {
    await copyFile(example, file, constants.COPYFILE_EXCL);
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const why = exists
      ? `${file} already exists. Choose another name with --out FILE.`
      : `${file} cannot be written: ${messageOf(error).replace(/\.$/, '')}. Create its folder, or choose another file with --out FILE.`;
    throw new ExitError('usage', why, { cause: error });
  }
  output.say(`Wrote ${file}, an example of ${kind} rows. Columns that begin with _ are comments.`);
  output.say(`Validate and price it: voxbatch plan ${file}    Other examples: ${othersOf(kind)}`);
  output.data(file);
  return 'complete';
}

function othersOf(kind: Kind): string {
  const others = KINDS.filter((other) => other !== kind);
  return others.map((other) => `voxbatch init ${other}`).join(', ');
}

/** Examples are in the package beside the compiled code: two folders above this file, or three if it is compiled. */
function examplePath(name: string): string {
  const places = ['../../inputs/examples/', '../../../inputs/examples/'].map((up) =>
    fileURLToPath(new URL(`${up}${name}`, import.meta.url)),
  );
  const found = places.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error(`The example ${name} is missing from this installation. Reinstall voxbatch.`);
  return found;
}
