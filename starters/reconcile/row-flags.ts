import type { ReconcileEnd, ReconcileOptions } from '../../client/reconcile/reconcile.ts';
import type { Flags } from '../commands/flags.ts';
import { defined } from '../../contract/defined.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { unchangedError } from '../exit-error.ts';
import { rowArg } from '../../client/look/command-args.ts';
import { plural } from '../terminal/words.ts';

type RequestFault = Extract<ReconcileEnd, { readonly word: string }>;

/** Parts that are named when a row is not clear enough. */
const NAMED = 20;

/** Flags of `reconcile`. `resubmit`: rows. */
export type ReconcileFlags = Omit<Flags, 'resubmit'> & { readonly resubmit?: readonly string[] };

/** Reads what the flags ask for. Throws {@link ExitError} `usage`. */
export function readRequest({ adopt = [], resubmit, release, notCharged }: ReconcileFlags): ReconcileOptions {
  return defined({
    adopt: adopt.length === 0 ? undefined : readAdoptions(adopt),
    resubmit: wordsOf(resubmit),
    release: wordsOf(release),
    notCharged: wordsOf(notCharged),
  });
}

/** Parses `ROW=JOB` or `ROW/TAKE=JOB`: the row is an id or a number. Ids may have an equals sign, job ids have none. */
function readAdoptions(texts: readonly string[]): NonNullable<ReconcileOptions['adopt']> {
  return texts.map((text) => {
    const at = text.lastIndexOf('=');
    const [row, job] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
    if (row === '' || job === '') throw unchangedError(`--adopt ${text}: expected ROW=JOB, as in --adopt r7=job-1f3a.`);
    return { row, job };
  });
}

/** Splits at commas; undefined: there are no words. */
function wordsOf(texts: readonly string[] = []): readonly string[] | undefined {
  const words = texts.flatMap((text) => text.split(',').map((word) => word.trim())).filter((word) => word !== '');
  return words.length === 0 ? undefined : words;
}

/** Why rows cannot be settled as asked for. */
export function faultText(fault: RequestFault, batch: { readonly name: string; readonly rows: number }): string {
  const { word } = fault;
  switch (fault.type) {
    case 'no-row':
      return `Batch "${batch.name}" has no row "${word}". Expected an id, or a number from 1 to ${String(batch.rows)}.`;
    case 'no-take': {
      const { take, takes } = fault;
      return `Row "${word}" has had ${plural(takes, 'take')}, not ${String(take)}.`;
    }
    case 'several-parts': {
      const names = fault.parts.slice(0, NAMED).map((part) => shellWord(rowArg(part)));
      const more = fault.parts.length > names.length ? ` and ${String(fault.parts.length - names.length)} more` : '';
      return `Row "${word}" is spoken in parts, and more than one of them may be meant: ${names.join(', ')}${more}. Name the part, as in ${names[0] ?? ''}.`;
    }
    case 'not-unknown':
      return `--resubmit ${word}: the row is not unknown. To run other rows again: voxbatch redrive ${shellWord(batch.name)} --rows ${shellWord(word)}.`;
    case 'adopted-twice':
      return fault.what === 'row'
        ? `--adopt names row ${word} twice; a row has one job.`
        : `--adopt names job ${word} twice; a job belongs to one row.`;
  }
}
