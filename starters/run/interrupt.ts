import type { ExitName } from '../../contract/exit-codes.ts';

const SIGTERM_PATIENCE_MS = 30_000;

/** How an interrupted command ends. */
export type InterruptExit = Extract<ExitName, 'interrupted' | 'terminated'>;

/** What came from outside. */
export interface Interrupt {
  /** Aborts at the first SIGINT or SIGTERM. */
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

/**
 * Listens for Ctrl-C and SIGTERM. The first one asks for an orderly end: requests in flight are finished. A second
 * Ctrl-C ends at once, which is still safe: `onSecond` runs first and must be quick.
 */
export function listenForInterrupt(onFirst: (exit: InterruptExit) => void, onSecond: () => void): Interrupt {
  const controller = new AbortController();
  let exit: InterruptExit = 'interrupted';
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      onSecond();
      process.exit(name === 'SIGTERM' ? 143 : 130);
    }
    exit = name === 'SIGTERM' ? 'terminated' : 'interrupted';
    controller.abort();
    onFirst(exit);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    exit: () => exit,
    patienceMs: () => (exit === 'terminated' ? SIGTERM_PATIENCE_MS : undefined),
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}

/** The message at the first signal. The sender of SIGTERM has no key to press. */
export function firstNotice(exit: InterruptExit): string {
  return `Finishing the requests in flight …${exit === 'terminated' ? '' : ' Ctrl-C again ends at once.'}`;
}
