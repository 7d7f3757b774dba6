import type { Refusal } from '../../contract/file-loss.ts';
import { StoredFileRefused } from '../errors.ts';

/**
 * Codes by which S3 refuses the content of one object for good, with what became of the object. It still answers HEAD
 * for the object, and returns other objects. `AccessDenied` and disabled keys are not among them: they affect other
 * objects, too, and a person can solve them, so it would waste money to count the object as lost, and pay for it again.
 */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  InvalidObjectState: 'archived',
  'KMS.NotFoundException': 'unreadable',
};

/** These codes, for `BucketRequest.accepts` (`request.ts`). */
export const REFUSAL_CODES = Object.keys(REFUSALS);

/** Returns the error for an object that S3 refuses with this code; undefined for any other code. */
export function refusedObject(key: string, code: string | undefined): StoredFileRefused | undefined {
  const is = code === undefined ? undefined : REFUSALS[code];
  return is && new StoredFileRefused(key, is, code ?? '');
}
