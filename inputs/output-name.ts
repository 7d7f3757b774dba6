import { hash } from 'node:crypto';
import { show } from '../contract/manifest-problems.ts';
import type { Finding } from '../contract/manifest-problems.ts';

/** Default template for result file names. */
export const DEFAULT_TEMPLATE = '{id}.{ext}';

/** A field of a template, such as `{id}`. */
const FIELD = /\{([^{}]*)\}/g;
/** Max bytes of a path segment: file systems allow 255, and `.part` needs some. */
const MAX_PART_LENGTH = 240;
/** Max bytes of a whole path. */
const MAX_NAME_LENGTH = 1000;
/** Characters that some file system forbids or treats as a separator: the Windows list includes all others. */
const UNSAFE = /[<>:"/\\|?*\p{Cc}]/gu;
/** Max bytes of an id in a file name; a template may add more. */
const MAX_SAFE_ID_LENGTH = 200;
/** Hex digits of the hash that distinguishes ids with the same safe form. */
const MARK_DIGITS = 8;

/** Subfolder of `media/` for results that failed a check. */
export const UNFIT_FOLDER = 'unfit';

/** Folder of the results, below the out folder. */
export const MEDIA_FOLDER = 'media';

/** Subfolder of `media/` for joined files (`--join`). */
export const JOINED_FOLDER = 'joined';

/** Subfolder of `media/` for finished copies. */
export const FINISHED_FOLDER = 'finished';

/** The values for the fields of a template. */
export interface NameFields {
  /** The safe form used in file names: see {@link safeId}. */
  readonly id: string;
  readonly row: number;
  readonly kind: string;
  /** Returns the row's cell of an input column; undefined without such a column. */
  readonly cellOf: (column: string) => string | undefined;
}

/**
 * Finds the problem in a `--file-name` template, if any. It needs `.{ext}` at its end and nowhere else, and fields that
 * exist: `{id}`, `{row}`, `{kind}`, or any input column.
 */
export function findBadTemplate(template: string, hasColumn: (column: string) => boolean): Finding | undefined {
  const finding = (expected: string): Finding => ({
    column: '',
    expected: `${expected} in --file-name`,
    got: show(template),
    code: 'bad-template',
  });
  const fields = templateFields(template);
  if (!template.endsWith('.{ext}') || fields.filter((field) => field === 'ext').length !== 1) {
    return finding('.{ext} at the end, and only there,');
  }
  if (/[{}]/.test(template.replaceAll(FIELD, ''))) return finding('braces only around a field');
  const unknown = fields.find((field) => !['id', 'row', 'kind', 'ext'].includes(field) && !hasColumn(field));
  return unknown === undefined
    ? undefined
    : finding(`{id}, {row}, {kind}, {ext} or an input column instead of {${unknown}}`);
}

/** Returns the names of a template's fields, in order. */
export function templateFields(template: string): readonly string[] {
  return [...template.matchAll(FIELD)].map((match) => match[1] ?? '');
}

/** Returns the name of a row's result below `media/`, with `{ext}` left in. The template must be valid. */
export function makeName(template: string, fields: NameFields): string {
  if (template === DEFAULT_TEMPLATE) return `${fields.id}.{ext}`;
  return template.replaceAll(FIELD, (whole, field: string) => {
    if (field === 'ext') return whole;
    if (field === 'id') return fields.id;
    if (field === 'row') return String(fields.row);
    if (field === 'kind') return fields.kind;
    return fields.cellOf(field) ?? '';
  });
}

/**
 * Returns an id as a part of a file name. An id valid on every file system stays unchanged. Otherwise forbidden
 * characters become `_`, a long id is cut, and a hash of the whole id is appended: `L/77` becomes `L_77-` plus 8 hex
 * digits. So ids that would look alike get different names, and the name depends on the id alone.
 */
export function safeId(id: string): string {
  const plain = id.replaceAll(UNSAFE, '_');
  if (plain === id && Buffer.byteLength(id) <= MAX_SAFE_ID_LENGTH) return id;
  const mark = hash('sha256', id, 'hex').slice(0, MARK_DIGITS);
  return `${cut(plain, MAX_SAFE_ID_LENGTH - MARK_DIGITS - 1)}-${mark}`;
}

/** Returns the longest prefix of a text that fits into this many bytes. */
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

/** Fast path: names of this form are always valid. */
const PLAIN_NAME = /^[\w-][\w.-]{0,199}\.\{ext\}$/;

/**
 * Returns what is expected instead of a path that cannot be a file below a folder of ours; undefined for a valid path.
 * `{ext}` stands for any extension.
 */
export function whyBadPath(name: string): string | undefined {
  if (PLAIN_NAME.test(name)) return undefined;
  const path = name.replace(/\{ext\}$/, 'jsonl');
  if (path.startsWith('/') || /^[a-z]:[/\\]/i.test(path)) return 'a path inside the folder, not an absolute one';
  if (/[\\\p{Cc}\p{Cs}]/u.test(path)) return 'a path without \\ or control characters';
  const parts = path.split('/');
  if (parts.includes('..')) return 'a path that stays inside the folder, without ..';
  if (parts.some((part) => part === '' || part === '.' || /^\.jsonl$/.test(part))) return 'a path without empty parts';
  if (parts.some((part) => Buffer.byteLength(part) > MAX_PART_LENGTH) || Buffer.byteLength(path) > MAX_NAME_LENGTH) {
    return `a name of at most ${MAX_PART_LENGTH} bytes a part and ${MAX_NAME_LENGTH} in all`;
  }
  return undefined;
}

/**
 * Returns what is expected instead of a path in the folder of unfit results, which is reserved; undefined for others.
 */
export function whyReserved(name: string): string | undefined {
  if (!name.includes('/') || !collisionKey(name).startsWith(`${UNFIT_FOLDER}/`)) return undefined;
  return `a path outside the folder ${UNFIT_FOLDER}, which is for results that did not pass a check`;
}

/** Returns a key that two names share if they would be one file on some file system. */
export function collisionKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
