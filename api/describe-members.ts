import type { Redact } from './failure-text.ts';
import { asObject } from './read-members.ts';

const LONGEST_NAME = 60;
const LONGEST_VALUE = 40;
/** Longest description, in characters: a failure's message has room for it and for what it is about. */
const LONGEST = 240;
/** Members that are looked at. */
const MOST_MEMBERS = 30;
const DEEPEST = 4;

/**
 * The members of an answer with their values, each cut, as `data.status "done", data.progress 100`, of a list the first item
 * (`data.clips.0.href`); those with a link first, because one of them may be what is looked for. Safe to record: the redactor takes out tokens, private texts, control characters, and all of a link but its host.
 */
export function describeMembers(json: unknown, redact: Redact, privateTexts: readonly string[]): string {
  const links: string[] = [];
  const others: string[] = [];
  const add = (value: unknown, name: string, depth: number): void => {
    if (links.length + others.length >= MOST_MEMBERS) return;
    const object = asObject(value);
    if (object !== undefined && depth < DEEPEST) {
      for (const [key, inner] of Object.entries(object).slice(0, MOST_MEMBERS)) {
        add(inner, name === '' ? key : `${name}.${key}`, depth + 1);
      }
      return;
    }
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    if ((asObject(first) !== undefined || isLink(first)) && depth < DEEPEST) {
      add(first, `${name}.0`, depth + 1);
      return;
    }
    const isSecret = typeof value === 'string' && /token|secret|password|signature|credential/i.test(name);
    const word = isSecret ? '…' : wordOf(value, redact, privateTexts);
    (isLink(value) ? links : others).push(`${redact(name, { longest: LONGEST_NAME })} ${word}`);
  };
  add(json, '', 0);
  const all = [...links, ...others].join(', ');
  return all.length <= LONGEST ? all : `${all.slice(0, LONGEST - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

function isLink(value: unknown): boolean {
  return typeof value === 'string' && /^https?:/i.test(value);
}

function wordOf(value: unknown, redact: Redact, privateTexts: readonly string[]): string {
  if (typeof value === 'string') return `"${redact(value, { longest: LONGEST_VALUE, privateTexts })}"`;
  if (Array.isArray(value)) return `[${String(value.length)}]`;
  return typeof value === 'object' && value !== null ? '{…}' : String(value);
}
