/** What to do where no batch was run. Each folder has a ledger of its own. */
export const NO_LEDGER_ADVICE = 'Start one: voxbatch run MANIFEST (or go to the folder where you ran it)';
