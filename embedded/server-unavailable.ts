import { OTHER_HOME_ADVICE } from '../contract/other-disk.ts';

/**
 * There is no usable Temporal server: it was not found, does not start, does not answer, or its folder is unusable.
 * Nothing was sent to the API. The command line ends with exit code 4.
 */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';
  /** What the user can do: a sentence or two, commands included. */
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

/** Advice by what an error message contains. */
const ADVICE: readonly (readonly [sign: RegExp, advice: string])[] = [
  [
    /no space left|disk is full|ENOSPC|SQLITE_FULL|disk quota/i,
    'Free some disk space, then run the same command again.',
  ],
  [
    /read-?only|permission denied|not permitted|EROFS|EACCES|EPERM|ENOTDIR|EEXIST|SQLITE_CANTOPEN|unable to open database/i,
    `Make that folder one on a local disk that you may write to, then run the same command again. ${OTHER_HOME_ADVICE}`,
  ],
  [/address already in use|EADDRINUSE/i, 'Another program took the port. Run the same command again.'],
  [
    /not a database|malformed|SQLITE_CORRUPT|SQLITE_NOTADB/i,
    'Move temporal.db away, then run the same command again: all finished and paid work is in ledger.db, so nothing is paid twice.',
  ],
];

/** Returns advice for an error message or the end of a log; general advice if nothing is recognised. */
export function adviceFor(message: string): string {
  const known = ADVICE.find(([sign]) => sign.test(message));
  return known?.[1] ?? 'Run `voxbatch doctor`. Running the same command again is safe.';
}
