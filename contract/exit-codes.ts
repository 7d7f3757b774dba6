interface ExitFacts {
  readonly code: number;
  /** For docs/guide/exit-codes.md, which is tested against it. */
  readonly meaning: string;
  /**
   * The command to suggest when nothing more specific applies. By default: rerun the same command, if the message says
   * so.
   */
  readonly next?: '--help' | 'voxbatch doctor';
}

/**
 * Exit codes of the command line: an interface for scripts and schedulers. Who gives them:
 * `starters/exit-of-problem.ts`, `policy/exit-of.ts`.
 */
export const EXIT_CODES = {
  complete: {
    code: 0,
    meaning: 'complete; every row succeeded or cached',
  },
  started: { code: 0, meaning: 'started in the background (`run --detach`); `status` shows how it goes' },
  internal: { code: 1, meaning: 'internal error' },
  usage: {
    code: 2,
    meaning: 'usage or manifest error, or the name is taken by another batch; nothing was spent',
    next: '--help',
  },
  refused: {
    code: 3,
    meaning:
      'refused before start: no price known under a budget, over budget, not enough credits for any row, not confirmed',
  },
  unreachable: {
    code: 4,
    meaning: 'Temporal or the ledger is not reachable, or the disk is full',
    next: 'voxbatch doctor',
  },
  api: {
    code: 5,
    meaning: 'the API refused the token, is not configured, or does not answer at the start',
    next: 'voxbatch doctor',
  },
  failures: {
    code: 10,
    meaning:
      'complete, with failed or cancelled rows; of `schedule check`: something is amiss; of `profile set`: the API did not take a value; of `voices delete`: the voice is still there; of `compare`: they differ',
  },
  halted: { code: 11, meaning: 'halted at the failure threshold' },
  outOfCredits: {
    code: 12,
    meaning: 'stopped at the budget or out of credits; or rows were skipped because of `--cache only`',
  },
  unknown: {
    code: 13,
    meaning:
      'complete, with `unknown` or `overdue` rows; of `profile set`: nobody can tell whether a value was taken; of `voices delete`: whether the voice is gone',
  },
  quality: { code: 14, meaning: 'complete, with `unfit` rows' },
  mismatch: {
    code: 15,
    meaning:
      'a count, hash or sum did not add up; of `doctor --strict-schema`: the schema of the API lacks something, or has changed',
  },
  goesOn: {
    code: 75,
    meaning:
      'paused, or still running, also of `compare`; or a hook of a finished batch is still to be told; of `up`: another one runs in this home already',
  },
  interrupted: {
    code: 130,
    meaning: 'interrupted; the message says whether the batch continues, and how to resume it',
  },
  terminated: {
    code: 143,
    meaning:
      'terminated (SIGTERM, or its terminal was closed); the message says whether the batch continues, and how to resume it',
  },
} as const satisfies Readonly<Record<string, ExitFacts>>;

export type ExitName = keyof typeof EXIT_CODES;

/** The facts about an exit. */
export function factsOf(exit: ExitName): ExitFacts {
  return EXIT_CODES[exit];
}
