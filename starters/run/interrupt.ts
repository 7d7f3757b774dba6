import { EXIT_CODES, type ExitName } from '../../contract/exit-codes.ts';
import { isUnderNohup } from '../terminal/output.ts';

const SIGTERM_PATIENCE_MS = 30_000;

/** How an interrupted command ends. */
export type InterruptExit = Extract<ExitName, 'interrupted' | 'terminated'>;

/** What came from outside. */
export interface Interrupt {
  /** Aborts at the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** The exit code of that signal. */
  readonly exit: () => InterruptExit;
  /**
   * How long to wait for requests in flight, in ms. SIGTERM is usually followed by a kill after 40 s or so; a person at
   * a terminal can press again: undefined, as long as a request may take.
   */
  readonly patienceMs: () => number | undefined;
  /** Stops listening. */
  dispose(): void;
}

/** What asks a command to end. SIGHUP: its terminal was closed. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** How a command ends that got this signal. A closed terminal is the same to it as SIGTERM. */
export function exitOfSignal(name: EndSignal): InterruptExit {
  return name === 'SIGINT' ? 'interrupted' : 'terminated';
}

/** Listens for the signals that ask a command to end. Returns how to stop listening. */
export function onEndSignal(listener: (name: EndSignal) => void): () => void {
  const names: readonly EndSignal[] = isUnderNohup() ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) process.on(name, listener);
  return () => {
    for (const name of names) process.off(name, listener);
  };
}

/**
 * Listens for Ctrl-C, SIGTERM and a closed terminal. The first one asks for an orderly end: requests in flight are
 * finished. A second Ctrl-C or SIGTERM ends at once, which is still safe: `onSecond` runs first and must be quick. SIGHUP
 * is never the second: the kernel and the shell both send it, and whoever ends a session sends SIGTERM with it.
 */
export function listenForInterrupt(onFirst: (exit: InterruptExit) => void, onSecond: () => void): Interrupt {
  const controller = new AbortController();
  let exit: InterruptExit = 'interrupted';
  let isAsked = false;
  const onSignal = (name: EndSignal): void => {
    if (name !== 'SIGHUP') {
      if (isAsked) {
        onSecond();
        process.exit(EXIT_CODES[exitOfSignal(name)].code);
      }
      isAsked = true;
    }
    if (controller.signal.aborted) return;
    exit = exitOfSignal(name);
    controller.abort();
    onFirst(exit);
  };
  const dispose = onEndSignal(onSignal);
  return {
    signal: controller.signal,
    exit: () => exit,
    patienceMs: () => (exit === 'terminated' ? SIGTERM_PATIENCE_MS : undefined),
    dispose,
  };
}

/** The message at the first signal. The sender of SIGTERM has no key to press. */
export function firstNotice(exit: InterruptExit): string {
  return `Finishing the requests in flight …${exit === 'terminated' ? '' : ' Ctrl-C again ends at once.'}`;
}
