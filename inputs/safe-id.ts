import { hash } from 'node:crypto';
import { show } from './problems.ts';
import type { Finding } from './problems.ts';

const LONGEST_ID = 200;

/** What some file system in use does not take in a name, or takes for a folder: the list of Windows has that of all others in it. */
const UNSAFE = /[<>:"/\\|?*\p{Cc}]/gu;
/** Bytes of an id in a file name; a part of a path takes 240, and a template may add to it. */
const LONGEST_BYTES = 200;
/** Hex digits that tell ids apart which would be written alike. */
const MARK_DIGITS = 8;

/**
 * What is wrong with an id that is given. It is typed after `explain` and shown in messages. In file names it is made safe (see {@link safeId}),
 * but one that is meant as a path to somewhere else is a mistake.
 */
export function findBadId(id: string, column: string): Finding | undefined {
  const bad = (expected: string): Finding => ({ column, expected, came: show(id), code: 'bad-id' });
  if (id.length > LONGEST_ID || /[\p{Cc}\p{Cs}]/u.test(id))
    return bad(`an id of at most ${LONGEST_ID} characters without control characters`);
  if (/^[/\\]|^[a-z]:[/\\]/i.test(id)) return bad('an id that is no absolute path');
  return id.split(/[/\\]/).some((part) => part === '.' || part === '..')
    ? bad('an id without . or .. as in a path')
    : undefined;
}

/**
 * An id as a part of a file name. One that every file system takes stays as it is. In any other, `_` stands for what cannot be in a
 * name, a long one is cut, and a mark made from the whole id follows: `L/77` is `L_77-` and 8 hex digits. So two ids that would be
 * written alike have two names, and the name follows from the id alone.
 */
export function safeId(id: string): string {
  const plain = id.replaceAll(UNSAFE, '_');
  if (plain === id && Buffer.byteLength(id) <= LONGEST_BYTES) return id;
  const mark = hash('sha256', id, 'hex').slice(0, MARK_DIGITS);
  return `${cut(plain, LONGEST_BYTES - MARK_DIGITS - 1)}-${mark}`;
}

/** The first characters of a text that take so many bytes at most. */
function cut(text: string, bytes: number): string {
  let taken = 0;
  let end = 0;
  for (const character of text) {
    taken += Buffer.byteLength(character);
    if (taken > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
