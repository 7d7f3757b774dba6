import type { Session } from '../client/session.ts';
import type { Settings } from '../client/settings.ts';
import type { RunContext } from './command-context.ts';
import { openSession, type ApiFlags } from './connect/open-api.ts';
import { personAt, type Person } from './person.ts';

/** What a command needs to work on a batch. */
export interface Desk extends RunContext {
  readonly session: Session;
  readonly person: Person;
  /** Print one line of JSON at the end. */
  readonly json: boolean;
  /** Return as soon as the batch is started; others work on it. */
  readonly detach: boolean;
}

/** The flags that a desk depends on. */
export interface DeskFlags extends ApiFlags {
  readonly json?: boolean;
  readonly detach?: boolean;
}

/** How to open a desk. */
export interface DeskRequest {
  readonly settings: Settings;
  readonly flags: DeskFlags;
  readonly context: RunContext;
  /** False if the command may create the ledger. */
  readonly mustExist: boolean;
  /** Source of the rows, as typed. */
  readonly input?: string | undefined;
}

/** Works on a batch, and closes everything that it opened. Nothing is opened before it is needed. */
export async function atDesk<T>(request: DeskRequest, work: (desk: Desk) => Promise<T>): Promise<T> {
  const { settings, flags, context, mustExist, input } = request;
  const session = openSession(settings, flags, { mustExist, thread: true });
  const { json = false, detach = false } = flags;
  try {
    return await work({ ...context, session, person: personAt(context.output, flags, input), json, detach });
  } finally {
    await session.close();
  }
}
