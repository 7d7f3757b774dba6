import { shellWord } from './shell-word.ts';

/** Advice for messages about a full or unusable disk. A new ledger on another disk would know of no payments. */

/** Returns how to move the records to another disk. `folder`: the folder that holds the ledger now. */
export function moveAdvice(folder: string): string {
  return (
    `Move the whole folder ${shellWord(folder)} to another disk of this machine while no command uses it, put a link to it in its place (ln -s), ` +
    'and confirm it once: voxbatch trust. Do not begin another ledger: it would pay for finished rows again.'
  );
}

/** Advice for a records folder that is unusable and may never have existed. */
export const OTHER_HOME_ADVICE =
  'Only if no batch was run from here yet, set VOXBATCH_HOME to another folder instead: it knows nothing of what was paid here.';
