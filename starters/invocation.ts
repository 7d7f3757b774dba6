import type { Session, SessionRequest } from '../client/session.ts';
import type { Settings } from '../client/settings.ts';
import { wrapMachineFaults } from '../client/machine-faults.ts';
import type { WebhookSettings } from '../client/webhooks/webhook-options.ts';
import type { RunContext } from './terminal/output.ts';
import type { Flags } from './commands/flags.ts';
import { readWebhook } from './commands/webhook-flags.ts';
import { openSession } from './connect/connect-api.ts';
import { usageError } from './exit-error.ts';
import { admittance } from './trust/confirm.ts';
import { personAt, type PersonHere } from './person.ts';

/** One invocation of a command that works on a batch: its open resources and its flags. */
export interface Invocation extends RunContext {
  readonly session: Session;
  readonly person: PersonHere;
  /** Print one line of JSON at the end. */
  readonly json: boolean;
  /** Return as soon as the batch is started, and leave the work to others. */
  readonly detach: boolean;
  /** Webhooks that reach the worker of this command. */
  readonly webhook?: WebhookSettings | undefined;
}

/** The flags that it depends on. */
type InvocationFlags = Omit<Flags, 'resubmit' | 'rows'>;

/** How to open an invocation. */
export interface InvocationRequest {
  readonly settings: Settings;
  readonly flags: InvocationFlags;
  readonly context: RunContext;
  /** False if the command may create the ledger. */
  readonly mustExist: boolean;
  /** Source of the rows, as typed. */
  readonly input?: string | undefined;
  /** The thread of the ledger, if it was begun early. */
  readonly ledgerThread?: SessionRequest['ledger']['begun'];
}

/** Runs `work` on a batch, opening resources on first use, and closes them all. */
export async function withInvocation<T>(
  request: InvocationRequest,
  work: (invocation: Invocation) => Promise<T>,
): Promise<T> {
  const { settings, flags, context, mustExist, input, ledgerThread } = request;
  const webhook = readWebhook(flags);
  if (webhook !== undefined && settings.cluster !== undefined) {
    throw usageError('With a cluster, other processes work: give --webhook to voxbatch worker.');
  }
  const session = openSession(settings, flags, {
    mustExist,
    thread: true,
    begun: ledgerThread,
    admit: async (ledger) => {
      await admittance(settings, flags, context.output)(ledger);
      // Nothing is at work yet, so nothing need wait until a person has accepted a copy.
      await wrapMachineFaults(() => ledger.acceptedAt());
    },
    // Without a batch to work on yet, a signal ends the process.
    waiting: { say: context.output.say },
  });
  const { json = false, detach = false } = flags;
  try {
    return await work({ ...context, session, person: personAt(context.output, flags, input), json, detach, webhook });
  } finally {
    await session.close();
  }
}
