import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { asObject, type JsonObject, member } from '../read-members.ts';

/** Deepest nesting that is looked at; documents of people have some 20. */
const DEEPEST = 100;

/** Members that change nothing of what is sent or answered. */
const WORDS = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'externalDocs',
  'operationId',
  'tags',
]);

/** Follows a `$ref` within the document, and those behind it; undefined for one that leads nowhere, in circles or elsewhere. */
export function resolve(root: JsonObject, value: unknown): JsonObject | undefined {
  const seen = new Set<string>();
  let found = asObject(value);
  for (;;) {
    const reference = member(found, '$ref');
    if (typeof reference !== 'string') return found;
    if (seen.has(reference)) return undefined;
    seen.add(reference);
    found = asObject(at(root, reference));
  }
}

/**
 * A digest of a part of the document and of all that it refers to. Words about it do not count, and neither does the order of members. It ends for
 * references in circles, too.
 */
export function digestOf(root: JsonObject, part: unknown): string {
  const parts: Record<string, unknown> = {};
  const waiting: string[] = [];
  const bare = (value: unknown, depth: number, isNames = false): unknown => {
    if (depth > DEEPEST) return null;
    if (Array.isArray(value)) return value.map((one) => bare(one, depth + 1));
    const object = asObject(value);
    if (object === undefined) return value;
    const reference = member(object, '$ref');
    if (typeof reference === 'string') waiting.push(reference);
    return Object.fromEntries(
      Object.entries(object)
        // Below `properties`, the names are those of members.
        .filter(([name]) => isNames || !(WORDS.has(name) || name.startsWith('x-')))
        .map(([name, one]) => [name, bare(one, depth + 1, !isNames && name === 'properties')]),
    );
  };
  parts[''] = bare(part, 0);
  for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
    if (!(reference in parts)) parts[reference] = bare(at(root, reference) ?? null, 0);
  }
  return createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 16);
}

/** What a reference within the document (`#/components/…`) leads to. */
function at(root: JsonObject, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let value: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    value = Array.isArray(value) ? (value as unknown[])[Number(name)] : member(asObject(value), name);
  }
  return value;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
