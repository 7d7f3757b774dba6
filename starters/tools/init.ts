import { messageOf } from '../../contract/message-of.ts';
import type { RunContext } from '../terminal/output.ts';
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { ExitError } from '../exit-error.ts';
import { examplePath, EXAMPLES, type Example } from './examples.ts';

/** `voxbatch init [EXAMPLE]`: writes an example manifest. Never overwrites a file. */
export async function init(example: Example = 'tts', flags: Flags, { output }: RunContext): Promise<ExitName> {
  const file = flags.out ?? `${example}.csv`;
  const path = examplePath(example);
  try {
    await copyFile(path, file, constants.COPYFILE_EXCL);
    if (example === 'voice') await copySamples(join(dirname(path), SAMPLES), join(dirname(file), SAMPLES));
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const why = exists
      ? `${file} already exists. Choose another name with --out FILE.`
      : `${file} cannot be written: ${messageOf(error).replace(/\.$/, '')}. Create its folder, or choose another file with --out FILE.`;
    throw new ExitError('usage', why, { cause: error });
  }
  const samples =
    example === 'voice'
      ? ` The recordings in ${shellWord(join(dirname(file), SAMPLES))} are placeholders: put your own there.`
      : '';
  output.say(`Wrote ${file}, the example ${example}.${samples} Columns that begin with _ are comments.`);
  output.say(`Validate and price it: voxbatch plan ${shellWord(file)}    Other examples: ${othersOf(example)}`);
  output.data(file);
  return 'complete';
}

/** The folder of recordings beside the example `voice`. */
const SAMPLES = 'samples';

/** Copies recordings that are not there yet. */
async function copySamples(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const existing = new Set(await readdir(to));
  for (const name of await readdir(from)) if (!existing.has(name)) await copyFile(join(from, name), join(to, name));
}

function othersOf(example: Example): string {
  const others = EXAMPLES.filter((other) => other !== example);
  return others.map((other) => `voxbatch init ${other}`).join(', ');
}
