import type { Refusal } from '../../contract/file-loss.ts';
import { StoredFileRefused } from '../errors.ts';

/**
 * Codes by which S3 refuses the content of one object for good, and what the object is. It knows the object (HEAD), and
 * reads the others. Not `AccessDenied`, nor a key that is disabled: that holds for other objects, too, and a person can
 * mend it, so taking its row for lost would cost money for nothing.
 */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  InvalidObjectState: 'archived',
  'KMS.NotFoundException': 'unreadable',
};

export const REFUSAL_CODES = Object.keys(REFUSALS);

/** What is thrown when S3 refuses an object with this code; undefined if that concerns the whole place. */
export function refusedObject(key: string, code: string | undefined): StoredFileRefused | undefined {
  const is = code === undefined ? undefined : REFUSALS[code];
  return is && new StoredFileRefused(key, is, code ?? '');
}
