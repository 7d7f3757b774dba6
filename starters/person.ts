import type { Output } from './terminal/output.ts';

/** Whoever has typed a command. */
export interface Person {
  /** Has said yes to all that would be asked (`--yes`), and is not asked. */
  readonly yes: boolean;
  /** Is there to be asked: it is a terminal, and no manifest comes from where the answer would. */
  readonly canAsk: boolean;
}

/** Who has typed a command. `input`: where its rows come from; `-` is standard input. */
export function personAt({ isInteractive }: Output, { yes = false }: { readonly yes?: boolean }, input = ''): Person {
  return { yes, canAsk: isInteractive && input !== '-' };
}
