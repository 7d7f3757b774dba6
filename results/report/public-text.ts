import { homedir, tmpdir } from 'node:os';

/** The beginnings of absolute paths that say something of this machine. */
const PATH =
  /(?<![\w.:/])(?:[A-Za-z]:\\|\/(?=(?:home|Users|root|tmp|var|mnt|opt|srv|private|Volumes|workspace)\/))[^\s'"`,;<>()]*/gu;
/** What may give access: a user and what follows the path of an address. */
const SECRETS = /(\bhttps?:\/\/)(?:[^\s/@'"<>]*@)?([^\s?#'"<>]+)(?:[?#][^\s'"<>]*)?/giu;

/**
 * A text for a file that may be sent to others: of absolute paths only the last name, of addresses no password and no query, in
 * which short-lived links carry their signature.
 */
export function publicText(text: string): string {
  if (!text.includes('/') && !text.includes('\\')) return text;
  const known = [process.cwd(), homedir(), tmpdir()].filter((place) => place.length > 1);
  const bare = known.reduce((so, place) => so.replaceAll(`${place}/`, '/tmp/'), text);
  return bare
    .replace(SECRETS, '$1$2')
    .replace(PATH, (path) => path.split(/[/\\]/u).findLast((name) => name !== '') ?? '…');
}
