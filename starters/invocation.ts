import type { Session, SessionRequest } from '../client/session.ts';
import type { Settings } from '../client/settings.ts';
import { wrapMachineFaults } from '../client/machine-faults.ts';
import type { WebhookSettings } from '../client/webhooks/webhook-options.ts';
import type { RunContext } from './terminal/output.ts';
import type { Flags } from './commands/flags.ts';
import { readWebhook } from './commands/read-webhook-flags.ts';
import { openSession } from './connect/connect-api.ts';
import { usageError } from './exit-error.ts';
import { admittance } from './trust/confirm.ts';
import { personAt, type PersonHere } from './person.ts';

/** A running command that works on a batch (run, redrive, reconcile, resume …): its resources and common flags. */
export interface Invocation extends RunContext {
  readonly session: Session;
  readonly person: PersonHere;
  /** Print one line of JSON at the end. */
  readonly json: boolean;
  /** Return as soon as the batch is started, and leave the work to others. */
  readonly detach: boolean;
  /** Webhooks that the worker of this command receives. */
  readonly webhook?: WebhookSettings | undefined;
}

/** `resubmit` and `rows` differ between these commands. */
type InvocationFlags = Omit<Flags, 'resubmit' | 'rows'>;

/** What {@link withInvocation} makes an {@link Invocation} from. */
export interface InvocationRequest {
  readonly settings: Settings;
  readonly flags: InvocationFlags;
  readonly context: RunContext;
  /** False if the command may create the ledger. */
  readonly mustExist: boolean;
  /** The manifest argument as typed; `-` means that stdin has the rows, so the user cannot be asked. */
  readonly input?: string | undefined;
  /** The ledger's worker thread, if it was started early to save time. */
  readonly ledgerThread?: SessionRequest['ledger']['begun'];
}

/** Calls `work` with an invocation, whose session opens resources on first use, and closes them all afterwards. */
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
      // Throws if the ledger is a copy that the user has not accepted: no work has begun that could wait for that.
      await wrapMachineFaults(() => ledger.acceptedAt());
    },
    // While the session waits for the database there is nothing to finish, so a signal ends the process.
    waiting: { say: context.output.say },
  });
  const { json = false, detach = false } = flags;
  try {
    return await work({ ...context, session, person: personAt(context.output, flags, input), json, detach, webhook });
  } finally {
    await session.close();
  }
}
