/**
 * Thrown if a folder, a pipe or a device has the name of one of our files: replacing it would lose it or fail halfway,
 * and reading it might never end.
 */
export class NotAFile extends Error {
  readonly path: string;

  constructor(path: string) {
    super(notAFileWords(path));
    this.name = 'NotAFile';
    this.path = path;
  }
}

/** Explains why nothing replaces a folder or a pipe; a sentence without its full stop. */
export function notAFileWords(path: string): string {
  return `${path} is no file, so nothing can be written in its place`;
}

/** Thrown if a folder on the path to our files is a symbolic link. */
export class LinkedFolder extends Error {
  readonly path: string;

  constructor(path: string) {
    super(linkWords(path));
    this.name = 'LinkedFolder';
    this.path = path;
  }
}

/** Explains why nothing is written behind a symbolic link; a sentence without its full stop. */
export function linkWords(path: string): string {
  return `${path} is a symbolic link, which could lead to any folder of yours`;
}
