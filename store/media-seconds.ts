import { open } from 'node:fs/promises';
import { FileWindow } from './containers/file-window.ts';
import { UnfitBody } from './store.ts';
import { checkWhole } from './whole.ts';

/** A media thread's job: how long a file plays. */
export interface SecondsJob {
  readonly type: 'seconds';
  /** Absolute. */
  readonly path: string;
  /** Its type, without a dot. */
  readonly extension: string;
  readonly bytes: number;
}

/**
 * How long a media file plays, in seconds, as its frames or its index say; undefined if it is not there, not whole, or of
 * a type without a length. For files of which nobody noted it. Throws if the disk fails.
 */
export async function mediaSeconds(path: string, extension: string): Promise<number | undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const { seconds } = await checkWhole(FileWindow.ofFile(file, (await file.stat()).size), extension, 'audio');
    return seconds;
  } catch (error) {
    if (error instanceof UnfitBody) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}
