import { shellWord } from './shell-word.ts';

/**
 * How to move the records to another disk. Changing the setting alone would start an empty ledger that knows of no
 * payments. `folder` is the ledger's current location.
 */
export function moveAdvice(folder: string): string {
  return (
    `Move the whole folder ${shellWord(folder)} to another disk of this machine while no command uses it, put a link to it in its place (ln -s), ` +
    'and confirm it once: voxbatch trust. Do not begin another ledger: it would pay for finished rows again.'
  );
}

/** Advice for when the folder for the records is unusable and may not exist yet. */
export const OTHER_HOME_ADVICE =
  'Only if no batch was run from here yet, set VOXBATCH_HOME to another folder instead: it knows nothing of what was paid here.';
