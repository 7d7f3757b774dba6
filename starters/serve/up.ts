import { awaitUp, becomeUp } from '../../client/work/up.ts';
import { formatDuration } from '../../contract/duration.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../command-context.ts';
import { readSettings } from '../connect/settings.ts';
import { ExitError } from '../exit-error.ts';
import type { Flags } from '../commands/flags.ts';
import { serve } from './serve.ts';

/**
 * `voxbatch up`: the embedded server and a worker, until told to end. Those that `run --detach` starts end by themselves, and are not the one of
 * their home.
 */
export async function up(flags: Flags, context: RunContext): Promise<ExitName> {
  if (flags.untilIdle === true) return serve(flags, context);
  const { home } = await readSettings();
  if (flags.wait !== undefined) return waitForUp(home, flags.wait);
  const found = await becomeUp(home);
  if (found.type === 'taken') {
    if (flags.unlessRunning === true) return 'complete';
    const who = found.pid === undefined ? '' : ` (process ${String(found.pid)})`;
    throw new ExitError(
      'goesOn',
      `\`voxbatch up\` runs in ${home} already${who}. It works on all batches of its account. ` +
        'Nothing was started. For another account in the same folder: voxbatch worker',
    );
  }
  const { claim } = found;
  try {
    return await serve(flags, context, () => {
      claim.markReady();
    });
  } finally {
    claim.release();
  }
}

async function waitForUp(home: string, limitMs: number): Promise<ExitName> {
  const found = await awaitUp(home, limitMs);
  if (found === 'ready') return 'complete';
  throw new ExitError(
    'unreachable',
    found === 'absent'
      ? `No \`voxbatch up\` runs in ${home}. Start one: voxbatch up`
      : `\`voxbatch up\` in ${home} is not ready after ${formatDuration(limitMs)}. Its log says why.`,
  );
}
