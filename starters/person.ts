import type { Output } from './terminal/output.ts';

/** The person who typed a command. */
export interface Person {
  /** Has answered yes in advance (`--yes`), and is not asked. */
  readonly yes: boolean;
  /** Can be asked: there is a terminal, and the manifest does not come from standard input. */
  readonly canAsk: boolean;
}

/** The person who typed a command. `input`: the source of its rows; `-` is standard input. */
export function personAt({ isInteractive }: Output, { yes = false }: { readonly yes?: boolean }, input = ''): Person {
  return { yes, canAsk: isInteractive && input !== '-' };
}
