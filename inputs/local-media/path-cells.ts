import type { MediaColumn, RowSpec } from '../../contract/row-kinds.ts';

/**
 * What becomes of a path in an `audio` or `video` cell. `links`: the service is given a link to the file. `none`: it
 * cannot be; `expected` goes on after "expected" in the problem.
 */
export type LocalMediaRules = { readonly type: 'links' } | { readonly type: 'none'; readonly expected: string };

/** Nothing here can hand out a link to a file of this machine. */
export const NO_LINKS: LocalMediaRules = {
  type: 'none',
  expected:
    'an http(s) URL that the service can fetch; to send a file of this machine, give --serve-media HOST:PORT, and --serve-media-url with the address at which the service reaches that; or keep media in a bucket (VOXBATCH_STORE=s3://…)',
};

const UNREAD = 'path:';

/** A cell with a path that has not been looked up yet; `attach-files.ts` puts its content there. */
export function cellOfPath(path: string): string {
  return UNREAD + path;
}

/** The path in such a cell; undefined for a link. */
export function pathOfCell(cell: string): string | undefined {
  return cell.startsWith(UNREAD) ? cell.slice(UNREAD.length) : undefined;
}

/** Whether a row names files of this machine, which are read before it is priced. */
export function namesFiles({ samples, audio = '', video = '' }: Pick<RowSpec, 'samples' | MediaColumn>): boolean {
  return samples !== undefined || pathOfCell(audio) !== undefined || pathOfCell(video) !== undefined;
}
