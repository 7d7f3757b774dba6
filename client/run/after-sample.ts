import type { ExitName } from '../../contract/exit-codes.ts';

/** What is known once the rows of `run --sample N` have ended. */
export interface SampleEnd {
  /** How the sample ended. */
  readonly exit: ExitName;
  /** Rows that the sample left out. */
  readonly left: number;
  /** True if the person agreed in advance (`--yes`). */
  readonly yes: boolean;
  /** True if the person can be asked. */
  readonly canAsk: boolean;
}

/**
 * What to do after a sample. `ask`: ask the person whether to run the other rows. `go`: run them. `stop`: do not,
 * because there are none (`nothing-left`), because rows of the sample did not succeed and nobody can look at them
 * (`not-clean`), or because nobody has agreed (`nobody`).
 */
export type AfterSample =
  { readonly type: 'ask' | 'go' } | { readonly type: 'stop'; readonly why: 'nothing-left' | 'not-clean' | 'nobody' };

/** Decides whether the rows that a sample left out are sent now. Nothing is paid for unless a person agreed to it. */
export function decideAfterSample({ exit, left, yes, canAsk }: SampleEnd): AfterSample {
  if (left === 0) return { type: 'stop', why: 'nothing-left' };
  if (yes) return exit === 'complete' ? { type: 'go' } : { type: 'stop', why: 'not-clean' };
  return canAsk ? { type: 'ask' } : { type: 'stop', why: 'nobody' };
}
