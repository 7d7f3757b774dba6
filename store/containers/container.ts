import { UnfitBody } from '../store.ts';
import type { FileWindow } from './file-window.ts';

/** A media file to check. */
export interface Container {
  readonly file: FileWindow;
  /** Its extension, without a dot. */
  readonly extension: string;
  /** What it was requested as. */
  readonly family: 'audio' | 'video';
}

/** The file ends too early or is damaged. `came` says how. */
export function notWhole({ extension }: Container, came: string): UnfitBody {
  return new UnfitBody(`Expected a whole ${extension} file, but ${came}.`);
}
