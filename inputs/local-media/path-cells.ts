import { fileColumnsOf, type RowSpec } from '../../contract/row-kinds.ts';

/**
 * How paths in `audio` and `video` cells are treated. `links`: the service gets a link to the file. `none`: links are
 * impossible, so a path is a problem; `expected` continues the message after "expected".
 */
export type LocalMediaRules = { readonly type: 'links' } | { readonly type: 'none'; readonly expected: string };

/** The rules where nothing can make links to local files. */
export const NO_LINKS: LocalMediaRules = {
  type: 'none',
  expected:
    'an http(s) URL that the service can fetch; to send a file of this machine, give --serve-media HOST:PORT, and --serve-media-url with the address at which the service reaches that; or keep media in a bucket (VOXBATCH_STORE=s3://…)',
};

/** Marks a cell that holds a path; see {@link cellOfPath}. */
const UNREAD = 'path:';

/** Returns the cell for a path that was not read yet. `attach-files.ts` replaces it by one for the file's content. */
export function cellOfPath(path: string): string {
  return UNREAD + path;
}

/** Returns the path in such a cell; undefined for a URL. */
export function pathOfCell(cell: string): string | undefined {
  return cell.startsWith(UNREAD) ? cell.slice(UNREAD.length) : undefined;
}

/** Whether a row names local files, which are read before the row is priced. */
export function namesFiles(spec: RowSpec): boolean {
  const { audio = '', video = '' } = spec;
  const hasFiles = fileColumnsOf(spec.kind).some((column) => spec[column] !== undefined);
  return hasFiles || pathOfCell(audio) !== undefined || pathOfCell(video) !== undefined;
}
