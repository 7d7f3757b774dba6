import type { Failure } from '../../contract/failures.ts';
import type { FileLoss } from '../../contract/file-loss.ts';
import type { AttemptState } from '../../contract/outcomes.ts';

/**
 * Lost files: a stored file that is missing or differs from its record, so that its row has no result any more. The
 * attempt that made the result keeps the file's record. If its job can be read again and returns the same content, the
 * row is restored without another request or check. Different content is a different result, which was never checked.
 *
 * A reused result has no job of its own, but the job of the original result returns the same content.
 */

/** The part of an attempt that decides. */
interface Filed extends Made {
  readonly file?: { readonly key: string } | null;
}

/** How an attempt got its file. */
interface Made {
  readonly state: AttemptState;
  readonly jobId: string | null;
  /** For a reused result: the request that originally made it, with its job. */
  readonly source?: { readonly jobId: string | null } | null;
}

/** Returns the id of the job that can be read again for an attempt's file; undefined if there is none. */
export function jobOfFile({ state, jobId, source }: Made): string | undefined {
  if (state === 'accepted') return jobId ?? undefined;
  return state === 'cached' ? (source?.jobId ?? undefined) : undefined;
}

/** Returns the attempt that made a stored file; undefined if the file was joined from parts. `key`: its store key. */
export function attemptOfFile<A extends Filed>(attempts: readonly A[], key: string | undefined): A | undefined {
  return key === undefined ? undefined : attempts.findLast(({ file }) => file?.key === key);
}

/**
 * Returns the failure of a row whose file is lost. `attempt`: the one that made the file, or `joined` for a file joined
 * from parts; `therefore`: a clause about the consequence, if any.
 */
export function lostFile(is: FileLoss, attempt: Filed | 'joined' | undefined, therefore = ''): Failure {
  const recovery = recoveryAdvice(attempt);
  return {
    class: 'ResultGone',
    cause: `a stored file is ${is}`,
    message: `Its stored file is ${is}${therefore}. ${recovery}`,
  };
}

function recoveryAdvice(attempt: Filed | 'joined' | undefined): string {
  if (attempt === 'joined') return 'A redrive joins its parts again, free.';
  return attempt === undefined || jobOfFile(attempt) === undefined
    ? 'No job can be read for it again; a redrive makes it again.'
    : 'A redrive reads its job again for a new link, free.';
}

/** Warning about a file that replaced a lost one, in a row without verification. */
export const OTHER_CONTENT = 'Its stored file was lost, and its job gave another file than the row had; listen to it.';

/**
 * Returns the failure of a row whose lost file was replaced by one with other content.
 *
 * @param check the step that checked the lost file; undefined if none did
 */
export function otherContent(check: string | undefined): Failure {
  const unchecked =
    check === undefined
      ? 'nothing more is paid for it unless you say so'
      : `the ${check} that was paid for is not of this one`;
  return {
    class: 'Unfit',
    cause: 'not verified',
    message: `Its stored file was lost, and its job gave another file, which is kept: ${unchecked}.`,
  };
}
