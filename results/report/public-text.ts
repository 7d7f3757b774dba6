import { homedir, tmpdir } from 'node:os';

/**
 * What gives access in an address of any scheme: a user, up to the last `@` before the path, and what follows the path.
 */
const SECRETS = /((?:\b[a-z][a-z0-9+.-]*:)?\/\/)(?:[^\s/?#'"<>]*@)?([^\s?#'"<>]+)(?:[?#][^\s'"<>]*)?/giu;
/** A query of a relative link, in which a signature may stand. */
const QUERY = /(?<=[^\s?])\?[\w.~%-]+=[^\s'"<>]*/gu;
const FILE_SCHEME = /\bfile:(?:\/\/[^\s/]*)?(?=\/)/giu;
/**
 * An absolute path of two or more parts, but not that of a request (`POST /speech/tts`). Its folders may have spaces in
 * their names, which are taken for such only before another `/` and after no ending of a file's name.
 */
const PATH =
  /(?<![\w./<\\])(?<!\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) )(?:~?\/(?!\/)|[A-Za-z]:[\\/]|\\\\)[^\s/\\'"`,;<>()]+(?:[^\s'"`,;<>()]|(?<!\.\w{1,5})(?: [^\s/\\'"`,;<>():~]+){1,2}(?=[/\\]))*/gu;
/** The home of somebody, whose last name is that of a person. */
const HOME = /^(?:~|\/(?:home|Users|root)\/?[^/]*|[A-Za-z]:[\\/]Users[\\/]?[^\\/]*)[\\/]?$/u;

/**
 * A text for a file that may be sent to others: of absolute paths only the last name, of addresses no password and no
 * query, in which short-lived links carry their signature.
 */
export function publicText(text: string): string {
  if (!/[/\\?]/u.test(text)) return text;
  const known = [process.cwd(), homedir(), tmpdir()].filter((place) => place.length > 1);
  const bare = known.reduce((so, place) => so.replaceAll(`${place}/`, '/tmp/'), text);
  return bare
    .replace(FILE_SCHEME, '')
    .replace(SECRETS, '$1$2')
    .replace(QUERY, '')
    .replace(PATH, (path) => (isPath(path) ? lastName(path) : path));
}

/** `/2` of `1 /2` is none. */
function isPath(path: string): boolean {
  return /^(?:[~A-Za-z\\]|\/[^/]+\/)/u.test(path);
}

function lastName(path: string): string {
  return HOME.test(path) ? '…' : (path.split(/[/\\]/u).findLast((name) => name !== '') ?? '…');
}
