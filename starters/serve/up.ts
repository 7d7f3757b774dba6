import type { ExitName } from '../../contract/exit-codes.ts';
import { claimUp, findUp } from '../../embedded/up-claim.ts';
import type { RunContext } from '../command-context.ts';
import { readSettings } from '../connect/settings.ts';
import { ExitError } from '../exit-error.ts';
import { awaitUp } from './await-up.ts';
import { serve, type ServeFlags } from './serve.ts';

/** Flags of `up`. */
export interface UpFlags extends ServeFlags {
  /** Start nothing; wait so long for the `up` of this home to be ready, ms. */
  readonly wait?: number;
  /** Succeed without a word if another one runs in this home. */
  readonly unlessRunning?: boolean;
}

/**
 * `voxbatch up`: the embedded server and a worker, until told to end. There is one in a home, so that nobody waits for a
 * second one to take over; those that `run --detach` starts end by themselves and do not count.
 */
export async function up(flags: UpFlags, context: RunContext): Promise<ExitName> {
  if (flags.untilIdle === true) return serve(flags, context);
  const { home } = await readSettings();
  if (flags.wait !== undefined) {
    await awaitUp(home, flags.wait);
    return 'complete';
  }
  const claim = await claimUp(home);
  if (claim === undefined) {
    if (flags.unlessRunning === true) return 'complete';
    throw takenError(home);
  }
  try {
    return await serve(flags, context, () => {
      claim.markReady();
    });
  } finally {
    claim.release();
  }
}

function takenError(home: string): ExitError {
  const found = findUp(home);
  const who = found.type === 'ready' ? ` (process ${String(found.pid)})` : '';
  return new ExitError(
    'goesOn',
    `\`voxbatch up\` runs in ${home} already${who}. It works on all batches of its account. ` +
      'Nothing was started. For another account in the same folder: voxbatch worker',
  );
}
