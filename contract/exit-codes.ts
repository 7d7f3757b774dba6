/**
 * Whether running the same command again helps, and when. `after-change`: only after the user has changed what the
 * message names.
 */
export type Retry = 'now' | 'later' | 'after-change' | 'no';

interface ExitFacts {
  readonly code: number;
  /** For docs/guide/exit-codes.md, which is tested against this table. */
  readonly meaning: string;
  readonly retry: Retry;
  /**
   * The command to suggest when nothing more specific applies. By default: rerun the same command, if the message says
   * so.
   */
  readonly next?: '--help' | 'voxbatch doctor';
}

/**
 * Exit codes of the command line: an interface for scripts and schedulers. `policy/exit-of.ts` chooses that of a batch,
 * `starters/exit-of-problem.ts` that of an error. Several names may share a code; `--json` shows the name.
 */
export const EXIT_CODES = {
  complete: {
    code: 0,
    meaning: 'complete; every row succeeded or cached',
    retry: 'no',
  },
  started: {
    code: 0,
    meaning: 'started in the background (`run --detach`); `status` shows how it goes',
    retry: 'no',
  },
  internal: { code: 1, meaning: 'internal error', retry: 'now' },
  usage: {
    code: 2,
    meaning: 'usage or manifest error, or the name is taken by another batch; nothing was spent',
    retry: 'after-change',
    next: '--help',
  },
  refused: {
    code: 3,
    meaning:
      'refused before start: no price known under a budget, over budget, not enough credits for any row, not confirmed',
    retry: 'after-change',
  },
  unreachable: {
    code: 4,
    meaning: 'Temporal or the ledger is not reachable, or the disk is full',
    retry: 'later',
    next: 'voxbatch doctor',
  },
  'api-away': {
    code: 4,
    meaning: 'the API cannot be reached, or gives no usable answer, at the start',
    retry: 'later',
    next: 'voxbatch doctor',
  },
  api: {
    code: 5,
    meaning: 'the API refused the token, or is not configured',
    retry: 'after-change',
    next: 'voxbatch doctor',
  },
  failures: {
    code: 10,
    meaning:
      'complete, with failed or cancelled rows; of `schedule check`: something is amiss; of `profile set`: the API did not take a value; of `voices delete`: the voice is still there; of `compare`: they differ',
    retry: 'no',
  },
  halted: { code: 11, meaning: 'halted at the failure threshold', retry: 'no' },
  'out-of-credits': { code: 12, meaning: 'paused, because the account is out of credits', retry: 'after-change' },
  skipped: {
    code: 12,
    meaning: 'complete, but rows were skipped: stopped at the budget, or because of `--cache only`',
    retry: 'after-change',
  },
  unknown: {
    code: 13,
    meaning:
      'complete, with `unknown` or `overdue` rows; of `profile set`: nobody can tell whether a value was taken; of `voices delete`: whether the voice is gone',
    retry: 'no',
  },
  unfit: { code: 14, meaning: 'complete, with `unfit` rows', retry: 'no' },
  mismatch: {
    code: 15,
    meaning:
      'a count, hash or sum did not add up; of `doctor --strict-schema`: the schema of the API lacks something, or has changed',
    retry: 'no',
  },
  unfinished: {
    code: 75,
    meaning:
      'still running, also of `compare`; or a hook of a finished batch is still to be told; of `up`: another one runs in this home already',
    retry: 'later',
  },
  paused: {
    code: 75,
    meaning: 'paused, by a person or because the first rows failed; `voxbatch resume` lets it continue',
    retry: 'after-change',
  },
  interrupted: {
    code: 130,
    meaning: 'interrupted; the message says whether the batch continues, and how to resume it',
    retry: 'now',
  },
  terminated: {
    code: 143,
    meaning:
      'terminated (SIGTERM, or its terminal was closed); the message says whether the batch continues, and how to resume it',
    retry: 'now',
  },
} as const satisfies Readonly<Record<string, ExitFacts>>;

/** The name of an exit, as `--json` shows it. */
export type ExitName = keyof typeof EXIT_CODES;

/** Returns what is known about an exit. */
export function factsOf(exit: ExitName): ExitFacts {
  return EXIT_CODES[exit];
}

/** Returns an exit as `--json` shows it. */
export function viewExit<Exit extends ExitName>(exit: Exit): ExitView<Exit> {
  const { code, retry } = factsOf(exit);
  return { exit, exitCode: code, retry };
}

/**
 * Like {@link viewExit}, for a command that may be the wrong one to repeat: it has recorded a new take, and repeating
 * it could pay for yet another, or it cannot succeed before another command. `next` is the command to run instead;
 * undefined if the same one may be repeated.
 */
export function viewExitAfter<Exit extends ExitName>(exit: Exit, next: string | undefined): ExitAfterView<Exit> {
  const view = viewExit(exit);
  return next === undefined || view.retry === 'no' ? view : { ...view, retry: 'after-change', next };
}

/** An exit, with the command to run instead of the same one. */
export interface ExitAfterView<Exit extends ExitName = ExitName> extends ExitView<Exit> {
  /** The command to run instead of the same one. Absent if the same one may be repeated, or nothing is left to do. */
  readonly next?: string;
}

/** An exit as `--json` shows it. */
export interface ExitView<Exit extends ExitName = ExitName> {
  readonly exit: Exit;
  readonly exitCode: number;
  /** Whether to run the same command again: `now`, `later`, `after-change` (of what the message names) or `no`. */
  readonly retry: Retry;
}

/** Names by which earlier versions recorded the end of a batch. */
const FORMER_NAMES: ReadonlyMap<string, ExitName> = new Map([
  ['outOfCredits', 'skipped'],
  ['quality', 'unfit'],
  ['goesOn', 'unfinished'],
]);

/**
 * Translates a recorded exit name, which may be of an earlier version, or of a later one after a downgrade. An unknown
 * name becomes `failures`, so that a person looks at it.
 */
export function currentExit<Exit extends ExitName | null>(recorded: Exit): Exit | ExitName {
  if (recorded === null || Object.hasOwn(EXIT_CODES, recorded)) return recorded;
  return FORMER_NAMES.get(recorded) ?? 'failures';
}
