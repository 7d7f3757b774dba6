import { homedir, tmpdir } from 'node:os';

/**
 * The secret parts of a URL of any scheme: user and password, up to the last `@` before the path; query and fragment.
 */
const SECRETS = /((?:\b[a-z][a-z0-9+.-]*:)?\/\/)(?:[^\s/?#'"<>]*@)?([^\s?#'"<>]+)(?:[?#][^\s'"<>]*)?/giu;
/** The query of a relative link, which may contain a signature. */
const QUERY = /(?<=[^\s?])\?[\w.~%-]+=[^\s'"<>]*/gu;
const FILE_SCHEME = /\bfile:(?:\/\/[^\s/]*)?(?=\/)/giu;
/**
 * An absolute path with two or more names, except the path of an HTTP request (`POST /speech/tts`). A space counts as
 * part of a folder's name only if another `/` follows and no file extension precedes it.
 */
const PATH =
  /(?<![\w./<\\])(?<!\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) )(?:~?\/(?!\/)|[A-Za-z]:[\\/]|\\\\)[^\s/\\'"`,;<>()]+(?:[^\s'"`,;<>()]|(?<!\.\w{1,5})(?: [^\s/\\'"`,;<>():~]+){1,2}(?=[/\\]))*/gu;
/** A home folder: its last name may be a person's, so not even that is shown. */
const HOME = /^(?:~|\/(?:home|Users|root)\/?[^/]*|[A-Za-z]:[\\/]Users[\\/]?[^\\/]*)[\\/]?$/u;

/**
 * Removes what is private from a text in a file that may be sent to others. Keeps only the last name of absolute paths,
 * and removes user, password and query from URLs (short-lived links carry their signature in the query).
 */
export function publicText(text: string): string {
  if (!/[/\\?]/u.test(text)) return text;
  // These folders may have spaces that `PATH` would not match. `/tmp/` stands for them, and is removed with the path.
  const known = [process.cwd(), homedir(), tmpdir()].filter((place) => place.length > 1);
  const bare = known.reduce((shortened, place) => shortened.replaceAll(`${place}/`, '/tmp/'), text);
  return bare
    .replace(FILE_SCHEME, '')
    .replace(SECRETS, '$1$2')
    .replace(QUERY, '')
    .replace(PATH, (path) => (isPath(path) ? lastName(path) : path));
}

/** Returns whether a match of {@link PATH} is a path. A slash with a single name, as `/2` in `1 /2`, is not. */
function isPath(path: string): boolean {
  return /^(?:[~A-Za-z\\]|\/[^/]+\/)/u.test(path);
}

/** Returns the last name of a path; an ellipsis for a home folder. */
function lastName(path: string): string {
  return HOME.test(path) ? '…' : (path.split(/[/\\]/u).findLast((name) => name !== '') ?? '…');
}
