import { messageOf } from '../../contract/message-of.ts';
import { ActionRefused, type PageActions, type Steering } from '../../page/actions.ts';
import { wire } from '../../page/wire.ts';
import type { Flags } from '../commands/flags.ts';
import type { ReconcileFlags } from '../reconcile/reconcile.ts';
import type { RunContext } from '../terminal/output.ts';

type Command<F> = (name: string | undefined, flags: F, context: RunContext) => Promise<unknown>;

/**
 * What the page has done, by the commands of the same names: they refuse, and say what became of it, in the same words.
 * Their code is loaded when it is asked for.
 */
export const PAGE_ACTIONS: PageActions = {
  steer: async (batch, what, reason) => saidBy(await steering(what), batch, reason),
  tune: async (batch, tuning, reason) => saidBy((await import('../steer/tune.ts')).tune, batch, reason, tuning),
  checkRedrive: async (batch, rows, flag) => {
    const { priceRedrive } = await import('../redrive/redrive.ts');
    const choice = { rows, ...(flag !== undefined && { [flag]: true }) };
    return withoutTerminal(async (context) => wire(await priceRedrive(batch, choice, context)));
  },
  redrive: async (batch, ids, reason) =>
    saidBy((await import('../redrive/redrive.ts')).redrive, batch, reason, { rows: [...ids], detach: true }),
  settle: async (batch, { way, row, job }, reason) => {
    if (way === 'accept')
      return saidBy((await import('../redrive/redrive.ts')).redrive, batch, reason, { accept: [row], detach: true });
    const flags = {
      adopt: { adopt: [`${row}=${job}`] },
      resubmit: { resubmit: [row] },
      'not-charged': { notCharged: [row] },
    };
    return reconciled(batch, reason, flags[way]);
  },
  lookUp: (batch, reason) => reconciled(batch, reason, {}),
};

async function reconciled(
  batch: string,
  reason: string | undefined,
  flags: ReconcileFlags,
): Promise<readonly string[]> {
  const { reconcile } = await import('../reconcile/reconcile.ts');
  return saidBy(reconcile, batch, reason, { ...flags, detach: true });
}

async function steering(what: Steering): Promise<Command<Flags>> {
  return (await import('../steer/control.ts'))[what];
}

/** What a command says that asks nobody. Throws {@link ActionRefused}. */
async function saidBy<F extends object>(
  command: Command<F>,
  batch: string,
  reason: string | undefined,
  flags?: F,
): Promise<readonly string[]> {
  const said: string[] = [];
  // The price was seen; what only a terminal may confirm, such as a folder from elsewhere, is refused.
  const all = { ...flags, yes: true, ...(reason !== undefined && { reason }) } as F;
  await withoutTerminal(
    async (context) => command(batch, all, context),
    (line) => said.push(line),
  );
  return said;
}

/** Does `work` where nobody is at a terminal. Throws {@link ActionRefused}, in the words of the command line. */
async function withoutTerminal<T>(
  work: (context: RunContext) => Promise<T>,
  say: (line: string) => void = () => undefined,
): Promise<T> {
  const output: RunContext['output'] = {
    // What a command answers, and what it says besides: a person reads both.
    ...{ data: say, say },
    ...{ isTerminal: false, isInteractive: false, hasColour: false, progress: 'none' },
  };
  try {
    return await work({ output });
  } catch (error) {
    const { describeTrouble, exitErrorOf } = await import('../exit-of-problem.ts');
    const refused = exitErrorOf(error);
    throw new ActionRefused(describeTrouble(refused) ?? messageOf(refused), { cause: error });
  }
}
