import { outArgs } from '../../client/look/path-args.ts';
import { shellWord } from '../../contract/shell-word.ts';

/** ` --out DIR`, behind the name of a batch in a command; see {@link outArgs}. */
export function outFlag(batch: string, out: string | null | undefined): string {
  return outArgs(batch, out)
    .map((word) => ` ${shellWord(word)}`)
    .join('');
}
