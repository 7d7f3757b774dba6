import { messageOf } from '../../contract/message-of.ts';
import { ActionRefused, type PageActions } from '../../page/actions.ts';
import { wire } from '../../page/json.ts';
import type { ReconcileFlags } from '../reconcile/reconcile.ts';
import type { RunContext } from '../terminal/output.ts';

type Command<F> = (name: string | undefined, flags: F, context: RunContext) => Promise<unknown>;

/**
 * The page's actions. Each runs the command of the same name and returns what it prints, so page and command line
 * refuse and report in the same words. Commands are loaded on first use.
 */
export const PAGE_ACTIONS: PageActions = {
  control: async (batch, what, reason) => outputOf((await import('../control/control.ts'))[what], batch, reason),
  tune: async (batch, tuning, reason) => outputOf((await import('../control/tune.ts')).tune, batch, reason, tuning),
  checkRedrive: async (batch, rows, flag) => {
    const { priceRedrive } = await import('../redrive/redrive.ts');
    const choice = { rows, ...(flag !== undefined && { [flag]: true }) };
    return withoutTerminal(async (context) => wire(await priceRedrive(batch, choice, context)));
  },
  redrive: async (batch, ids, reason) =>
    outputOf((await import('../redrive/redrive.ts')).redrive, batch, reason, { rows: [...ids], detach: true }),
  settle: async (batch, { way, row, job }, reason) => {
    if (way === 'accept')
      return outputOf((await import('../redrive/redrive.ts')).redrive, batch, reason, { accept: [row], detach: true });
    const flags = {
      adopt: { adopt: [`${row}=${job}`] },
      resubmit: { resubmit: [row] },
      'not-charged': { notCharged: [row] },
    };
    return runReconcile(batch, reason, flags[way]);
  },
  lookUp: (batch, reason) => runReconcile(batch, reason, {}),
};

async function runReconcile(
  batch: string,
  reason: string | undefined,
  flags: ReconcileFlags,
): Promise<readonly string[]> {
  const { reconcile } = await import('../reconcile/reconcile.ts');
  return outputOf(reconcile, batch, reason, { ...flags, detach: true });
}

/** Runs a command without asking anybody, and returns what it prints. Throws {@link ActionRefused}. */
async function outputOf<F extends object>(
  command: Command<F>,
  batch: string,
  reason: string | undefined,
  flags?: F,
): Promise<readonly string[]> {
  const lines: string[] = [];
  // The user has seen the price on the page, hence `yes`. What needs a terminal, such as trust in a folder, is refused.
  const all = { ...flags, yes: true, ...(reason !== undefined && { reason }) } as F;
  await withoutTerminal(
    async (context) => command(batch, all, context),
    (line) => lines.push(line),
  );
  return lines;
}

/** Runs `work` with an output that is no terminal. Throws {@link ActionRefused} with the command line's message. */
async function withoutTerminal<T>(
  work: (context: RunContext) => Promise<T>,
  say: (line: string) => void = () => undefined,
): Promise<T> {
  const output: RunContext['output'] = {
    // The page shows results and messages alike.
    data: say,
    say,
    isTerminal: false,
    isInteractive: false,
    hasColour: false,
    progress: 'none',
  };
  try {
    return await work({ output });
  } catch (error) {
    const { describeTrouble, exitErrorOf } = await import('../exit-of-problem.ts');
    const refused = exitErrorOf(error);
    throw new ActionRefused(describeTrouble(refused) ?? messageOf(refused), { cause: error });
  }
}
