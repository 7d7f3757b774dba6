import type { ExitName } from '../contract/exit-codes.ts';

/** What came from outside. */
export interface Interrupt {
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Which exit code that means. */
  readonly exit: () => ExitName;
  /** Gives the signals back. */
  dispose(): void;
}

/**
 * Listens for Ctrl-C and SIGTERM. The first one asks for an orderly end: requests on the wire are finished. A second Ctrl-C
 * ends at once, which is safe all the same: `onSecond` runs first and must be quick.
 */
export function listenForInterrupt(onFirst: () => void, onSecond: () => void): Interrupt {
  const controller = new AbortController();
  let exit: ExitName = 'interrupted';
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      onSecond();
      process.exit(name === 'SIGTERM' ? 143 : 130);
    }
    exit = name === 'SIGTERM' ? 'terminated' : 'interrupted';
    controller.abort();
    onFirst();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    exit: () => exit,
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
