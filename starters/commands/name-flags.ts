import { defined } from '../../contract/defined.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { usageError } from '../exit-error.ts';

/** Names of a batch and its result files on a command line. */
export interface NameFlags {
  /** Name of the batch. */
  readonly name?: string;
  /** Template of result files. */
  readonly fileName?: string;
}

/** {@link NameFlags} as typed. */
export interface TypedNames {
  /** May be given twice: see {@link readNameFlags}. */
  readonly name?: readonly string[];
  readonly fileName?: string;
}

/**
 * `--name` is the name of the batch. Before `--file-name` existed, a `--name` with a `{field}` was the template of
 * result files. It still is, with a hint to the new flag: no batch can have braces in its name.
 *
 * @throws ExitError (`usage`) if two flags name one thing.
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
