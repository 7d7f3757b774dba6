import { defined } from '../../contract/defined.ts';
import { usageError } from '../exit-error.ts';
import { shellWord } from '../terminal/go-on-command.ts';

/** What a batch and its result files are called on a command line. */
export interface NameFlags {
  /** Of the batch. */
  readonly name?: string;
  /** Template of result files. */
  readonly fileName?: string;
}

/** {@link NameFlags} as they were typed. */
export interface TypedNames {
  /** May have been given twice: see {@link readNameFlags}. */
  readonly name?: readonly string[];
  readonly fileName?: string;
}

/**
 * `--name` is the name of the batch. Before there was `--file-name`, a `--name` with a `{field}` was the template of result files. It still
 * is, with a word about the new flag: no batch can have braces in its name.
 *
 * @throws ExitError (`usage`) where two flags name one thing.
 */
export function readNameFlags({ name = [], fileName }: TypedNames, say: (line: string) => void): NameFlags {
  const [batch, ...moreBatches] = name.filter((value) => !isTemplate(value));
  const [old, ...moreTemplates] = name.filter(isTemplate);
  if (moreBatches.length > 0) throw usageError('--name was given twice: a batch has one name.');
  if (moreTemplates.length > 0 || (old !== undefined && fileName !== undefined)) {
    throw usageError('The result files were named twice. Give --file-name once; --name is the name of the batch.');
  }
  if (old !== undefined) say(`--name is the name of the batch. For result files, write --file-name ${shellWord(old)}.`);
  const template = fileName ?? old;
  return defined({ name: batch, fileName: template });
}

function isTemplate(value: string): boolean {
  return value.includes('{');
}
