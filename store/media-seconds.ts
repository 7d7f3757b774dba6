import { open } from 'node:fs/promises';
import { demux } from './containers/demux.ts';
import { FileWindow } from './containers/file-window.ts';

/**
 * The length of a media file in seconds, by its content rather than by what its header states; undefined if it is not
 * there, or of no type with a length. Needs no decoder. Throws if the disk fails.
 */
export async function mediaSeconds(path: string): Promise<number | undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    return await secondsOf(FileWindow.ofFile(file, (await file.stat()).size));
  } finally {
    await file.close();
  }
}

async function secondsOf(window: FileWindow): Promise<number | undefined> {
  const { input, fault } = await demux(window);
  try {
    const seconds = await input.computeDuration();
    return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
  } catch {
    if (fault() !== undefined) throw fault() as Error;
    return undefined;
  } finally {
    input.dispose();
  }
}
