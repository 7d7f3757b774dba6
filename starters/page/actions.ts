import { messageOf } from '../../contract/message-of.ts';
import { ActionRefused, type PageActions, type Steering } from '../../page/actions.ts';
import type { RedrivePrice } from '../../page/protocol.ts';
import type { Flags } from '../commands/flags.ts';
import type { RunContext } from '../terminal/output.ts';

type Command = (name: string | undefined, flags: Flags, context: RunContext) => Promise<unknown>;

/**
 * What the page has done, by the commands of the same names: they refuse, and say what became of it, in the same words. Their code is
 * loaded when it is asked for.
 */
export const PAGE_ACTIONS: PageActions = {
  steer: async (batch, what, reason) => (await run(await steering(what), batch, reason)).said,
  tune: async (batch, tuning, reason) =>
    (await run((await import('../steer/tune.ts')).tune, batch, reason, tuning)).said,
  checkRedrive: async (batch, ids) => {
    const { redrive } = await import('../redrive/redrive.ts');
    const { data } = await run(redrive, batch, undefined, { rows: ids, dryRun: true, json: true });
    return JSON.parse(data.at(-1) ?? '') as RedrivePrice;
  },
  redrive: async (batch, ids, reason) => {
    const { redrive } = await import('../redrive/redrive.ts');
    return (await run(redrive, batch, reason, { rows: ids, detach: true })).said;
  },
};

async function steering(what: Steering): Promise<Command> {
  return (await import('../steer/control.ts'))[what];
}

/** Runs a command that asks nobody. Throws {@link ActionRefused}. */
async function run(
  command: Command,
  batch: string,
  reason: string | undefined,
  flags: Flags = {},
): Promise<{ readonly said: readonly string[]; readonly data: readonly string[] }> {
  const said: string[] = [];
  const data: string[] = [];
  const output: RunContext['output'] = {
    data: (line) => data.push(line),
    say: (line) => said.push(line),
    ...{ isTerminal: false, isInteractive: false, hasColour: false, progress: 'none' },
  };
  try {
    // The price was seen; what only a terminal may confirm, such as a folder from elsewhere, is refused.
    await command(batch, { ...flags, yes: true, ...(reason !== undefined && { reason }) }, { output });
    return { said, data };
  } catch (error) {
    const { describeTrouble, exitErrorOf } = await import('../exit-of-problem.ts');
    const refused = exitErrorOf(error);
    throw new ActionRefused(describeTrouble(refused) ?? messageOf(refused), { cause: error });
  }
}
