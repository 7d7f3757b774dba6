import { shellWord } from './shell-word.ts';

/**
 * How to keep the records on another disk. A setting alone never does: it begins an empty ledger, for which nothing was
 * paid yet. `folder`: where the ledger is.
 */
export function moveAdvice(folder: string): string {
  return (
    `Move the whole folder ${shellWord(folder)} to another disk of this machine while no command uses it, put a link to it in its place (ln -s), ` +
    'and confirm it once: voxbatch trust. Do not begin another ledger: it would pay for finished rows again.'
  );
}

/** What else helps where a folder for the records cannot be used, and there may be none yet. */
export const OTHER_HOME_ADVICE =
  'Only if no batch was run from here yet, set VOXBATCH_HOME to another folder instead: it knows nothing of what was paid here.';
