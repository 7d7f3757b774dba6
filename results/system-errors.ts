import { isNativeError } from 'node:util/types';

/** The code of an error of the system, such as `ENOENT`; empty for any other. */
export function codeOf(error: unknown): string {
  return isNativeError(error) && 'code' in error ? String(error.code) : '';
}

/** Whether an error says that there is no such file. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}
