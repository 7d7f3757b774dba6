import type { Failure } from '../../contract/failures.ts';
import type { FileLoss } from '../../contract/file-loss.ts';
import type { AttemptState } from '../../contract/outcomes.ts';

/**
 * A result whose stored file no longer matches its record: its row has no result. The attempt that brought it keeps the
 * file's record. If its job can be read again and gives the same content, everything is restored, and nothing is made
 * or checked a second time. Different content is another result, which was never checked.
 *
 * A copy of an earlier result has no job, but the job behind the original result gives the same content.
 */

/** The part of an attempt that matters here. */
interface Filed extends Made {
  readonly file?: { readonly key: string } | null;
}

/** How a file was made. */
interface Made {
  readonly state: AttemptState;
  readonly jobId: string | null;
  /** For a copy: the request that made the result, with its job. */
  readonly source?: { readonly jobId: string | null } | null;
}

/** The job that can be read again for an attempt's file; undefined if there is none. */
export function jobOfFile({ state, jobId, source }: Made): string | undefined {
  if (state === 'accepted') return jobId ?? undefined;
  return state === 'cached' ? (source?.jobId ?? undefined) : undefined;
}

/** The attempt that brought a stored file; undefined if the file was joined from parts. */
export function attemptOfFile<A extends Filed>(attempts: readonly A[], key: string | undefined): A | undefined {
  return key === undefined ? undefined : attempts.findLast(({ file }) => file?.key === key);
}

/**
 * Why a row has no result any more. `attempt`: the one that brought the file, if any did, or that it was joined from
 * parts; `therefore`: what follows, if anything.
 */
export function lostFile(is: FileLoss, attempt: Filed | 'joined' | undefined, therefore = ''): Failure {
  const again = wayBack(attempt);
  return {
    class: 'ResultGone',
    cause: `a stored file is ${is}`,
    message: `Its stored file is ${is}${therefore}. ${again}`,
  };
}

function wayBack(attempt: Filed | 'joined' | undefined): string {
  if (attempt === 'joined') return 'A redrive joins its parts again, free.';
  return attempt === undefined || jobOfFile(attempt) === undefined
    ? 'No job can be read for it again; a redrive makes it again.'
    : 'A redrive reads its job again for a new link, free.';
}

/** Note on a file that replaced a lost one and that no check verifies. */
export const OTHER_CONTENT = 'Its stored file was lost, and its job gave another file than the row had; listen to it.';

/**
 * Why a file that replaced a lost one does not count as a checked result.
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
