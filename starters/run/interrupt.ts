import { EXIT_CODES, type ExitName } from '../../contract/exit-codes.ts';
import { isUnderNohup } from '../terminal/output.ts';

/** How long a command waits for requests in flight after SIGTERM by default, ms. */
const SIGTERM_PATIENCE_MS = 30_000;

/** How an interrupted command ends. */
export type InterruptExit = Extract<ExitName, 'interrupted' | 'terminated'>;

/** A command's signals, as {@link listenForInterrupt} watches them. */
export interface Interrupt {
  /** Aborts at the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Aborts at the second, when the process is about to exit. */
  readonly atOnce: AbortSignal;
  /** Returns the exit code of that signal. */
  readonly exit: () => InterruptExit;
  /**
   * Returns how long to wait for requests in flight, ms; undefined for as long as they take. After SIGTERM the wait is
   * limited, because a kill usually follows after some 40 s. After Ctrl-C it is not: the user can press it again.
   */
  readonly patienceMs: () => number | undefined;
  /** Stops listening. */
  dispose(): void;
}

/** Signals that ask a command to end. SIGHUP: its terminal was closed. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Returns the exit code for a signal. A closed terminal counts as SIGTERM. */
export function exitOfSignal(name: EndSignal): InterruptExit {
  return name === 'SIGINT' ? 'interrupted' : 'terminated';
}

/** Listens for termination signals, SIGHUP only if not under nohup. Returns a function that stops listening. */
export function onEndSignal(listener: (name: EndSignal) => void): () => void {
  const names: readonly EndSignal[] = isUnderNohup() ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) process.on(name, listener);
  return () => {
    for (const name of names) process.off(name, listener);
  };
}

/**
 * Listens for Ctrl-C, SIGTERM and a closed terminal. The first requests a graceful shutdown that drains requests in
 * flight. A second Ctrl-C or SIGTERM exits immediately, which is still safe: `onSecond` and listeners of `atOnce` run
 * first and must be quick. SIGHUP never counts as the second: both the kernel and the shell send it, and session
 * managers send SIGTERM along with it. `sigtermPatienceMs`: max wait for requests in flight after SIGTERM.
 */
export function listenForInterrupt(
  onFirst: (exit: InterruptExit) => void = () => undefined,
  onSecond: (exit: InterruptExit) => void = () => undefined,
  sigtermPatienceMs = SIGTERM_PATIENCE_MS,
): Interrupt {
  const controller = new AbortController();
  const atOnce = new AbortController();
  let exit: InterruptExit = 'interrupted';
  let isRequested = false;
  const onSignal = (name: EndSignal): void => {
    if (name !== 'SIGHUP') {
      if (isRequested) {
        const second = exitOfSignal(name);
        onSecond(second);
        atOnce.abort();
        process.exit(EXIT_CODES[second].code);
      }
      isRequested = true;
    }
    if (controller.signal.aborted) return;
    exit = exitOfSignal(name);
    controller.abort();
    onFirst(exit);
  };
  const dispose = onEndSignal(onSignal);
  return {
    signal: controller.signal,
    atOnce: atOnce.signal,
    exit: () => exit,
    patienceMs: () => (exit === 'terminated' ? sigtermPatienceMs : undefined),
    dispose,
  };
}

/**
 * Returns the message at the first signal. Ctrl-C is not mentioned after SIGTERM, which no user at a terminal sends.
 */
export function firstNotice(exit: InterruptExit): string {
  return `Finishing the requests in flight …${exit === 'terminated' ? '' : ' Ctrl-C again ends at once.'}`;
}
