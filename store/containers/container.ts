import { UnfitBody } from '../store.ts';
import type { FileWindow } from './file-window.ts';

/** A media file that is to be checked. */
export interface Container {
  readonly file: FileWindow;
  /** What it is, without a dot. */
  readonly extension: string;
  /** What it was fetched as. */
  readonly family: 'audio' | 'video';
}

/** The file ends too early, or is broken within. `came` says how. */
export function notWhole({ extension }: Container, came: string): UnfitBody {
  return new UnfitBody(`Expected a whole ${extension} file, but ${came}.`);
}
