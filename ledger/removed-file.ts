import type { ResultFile } from './record-types.ts';

/** The record of a file that is removed from the store on purpose. One that was removed before keeps its time. */
export function removed(file: ResultFile, now: number): ResultFile {
  return { ...file, removedAt: file.removedAt ?? now };
}
