import { deliverLast, ownNotices } from '../../client/hooks/deliver-notices.ts';
import type { Session } from '../../client/session.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { isOwed } from '../../contract/hooks.ts';
import { exitWhileOwed } from '../../policy/exit-of.ts';
import type { Invocation } from '../invocation.ts';
import { listenForInterrupt, type Interrupt } from './interrupt.ts';

/** How long a failing hook is retried before the command ends, ms. */
const PATIENCE_MS = 10_000;

interface Telling {
  readonly batch: string;
  readonly session: Session;
  readonly say: (line: string) => void;
  readonly interrupt: Pick<Interrupt, 'signal' | 'exit'>;
  /** Cuts off what is being told. Default: the interrupt. */
  readonly signal?: AbortSignal;
}

/** Tells the hooks of a batch that has ended or paused, and returns how the command ends that would end with `exit`. */
export async function tellLast(
  exit: ExitName,
  why: 'closed' | 'paused',
  { batch, session, say, interrupt, signal = interrupt.signal }: Telling,
): Promise<ExitName> {
  const own = ownNotices(session.settings, await session.api());
  const isTold = await deliverLast({ ...own, ledger: await session.ledger(), batch, say, signal }, PATIENCE_MS);
  if (isTold) return exit;
  if (interrupt.signal.aborted) return interrupt.exit();
  return why === 'closed' ? exitWhileOwed(exit) : exit;
}

/**
 * Finishes a batch that was closed before, then tells the hooks that are still to be told: whoever worked on it was killed
 * before it had.
 */
export async function finishClosed(
  batch: string,
  { session, output: { say } }: Pick<Invocation, 'session' | 'output'>,
  finish: () => Promise<ExitName>,
): Promise<ExitName> {
  const exit = await finish();
  if (!(await (await session.ledger()).noticesOf(batch)).some(isOwed)) return exit;
  const interrupt = listenForInterrupt(
    () => {
      say('The hook is still to be told. To tell it, run the same command again.');
    },
    () => undefined,
  );
  try {
    return await tellLast(exit, 'closed', { batch, session, say, interrupt });
  } finally {
    interrupt.dispose();
  }
}
