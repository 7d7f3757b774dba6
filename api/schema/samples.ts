import { asObject, type JsonObject, member } from '../read-members.ts';
import { resolve } from './references.ts';

/** A value as a schema describes it. */
export interface Sample {
  readonly value: unknown;
  /** True if the schema leaves open what some object in it has. */
  readonly isOpen: boolean;
}

/** Most samples of one schema, and the deepest nesting of a sample. */
const MOST = 32;
const DEEPEST = 12;
/** Most parts of a schema that are looked at: one that contains itself in several members grows without end. */
export const MOST_PARTS = 10_000;

/** Words of a finished job: of a status, the sample is one that is finished. */
const FINISHED = ['completed', 'succeeded', 'success', 'done', 'finished'];

/**
 * Values that fit a schema: one for each form that it allows (`anyOf`, `oneOf`), with every member that it names. At most 32. A schema that contains itself
 * ends with a null.
 */
export function samplesOf(root: JsonObject, schema: unknown): readonly Sample[] {
  return samples({ root, left: MOST_PARTS }, schema, 0);
}

/** A look at a schema. */
export interface Walk {
  readonly root: JsonObject;
  /** Parts that may still be looked at. */
  left: number;
}

function samples(walk: Walk, schema: unknown, depth: number): readonly Sample[] {
  if (depth > DEEPEST || (walk.left -= 1) < 0) return [closed(null)];
  const found = resolve(walk.root, schema);
  if (found === undefined) return [{ value: {}, isOpen: true }];
  const all = member(found, 'allOf');
  const any = member(found, 'anyOf') ?? member(found, 'oneOf');
  const next = (part: unknown): readonly Sample[] => samples(walk, part, depth + 1);
  const own = { ...found, allOf: undefined, anyOf: undefined, oneOf: undefined };
  const parts: (readonly Sample[])[] = [];
  if (Array.isArray(all)) parts.push(...(all as unknown[]).slice(0, MOST).map(next));
  if (Array.isArray(any)) parts.push((any as unknown[]).slice(0, MOST).flatMap(next));
  if (parts.length === 0) return plain(own, next);
  const hasOwn = member(own, 'properties') !== undefined;
  return parts.reduce((left, right) => joined(left, right), hasOwn ? plain(own, next) : [closed(undefined)]);
}

/** Each of the one with each of the other. */
function joined(left: readonly Sample[], right: readonly Sample[]): readonly Sample[] {
  const pairs = left.flatMap((one) => right.map((other) => merge(one, other)));
  return pairs.slice(0, MOST);
}

function merge(left: Sample, right: Sample): Sample {
  if (left.value === undefined) return right;
  const [a, b] = [asObject(left.value), asObject(right.value)];
  if (a === undefined || b === undefined) return right;
  // What the other one names is no longer left open.
  const isOpen = [left, right].some((one) => one.isOpen && Object.keys(asObject(one.value) ?? {}).length > 0);
  const members = new Set([...Object.keys(a), ...Object.keys(b)]);
  const value = Object.fromEntries(
    [...members].map((name) => [
      name,
      merge(closed(member(a, name)), closed(member(b, name) ?? member(a, name))).value,
    ]),
  );
  return { value, isOpen: isOpen || (members.size === 0 && left.isOpen && right.isOpen) };
}

function plain(schema: JsonObject, next: (part: unknown) => readonly Sample[]): readonly Sample[] {
  if ('const' in schema) return [closed(schema['const'])];
  const words = member(schema, 'enum');
  if (Array.isArray(words)) return [closed(words.find((word) => FINISHED.includes(String(word))) ?? words[0])];
  const properties = asObject(member(schema, 'properties'));
  switch (typeOf(schema)) {
    case 'object':
      return properties === undefined ? [{ value: {}, isOpen: true }] : objects(properties, next);
    case 'array':
      return next(member(schema, 'items')).map(({ value, isOpen }) => ({ value: [value], isOpen }));
    case 'string':
      return [closed(textOf(schema))];
    case 'integer':
    case 'number':
      return [closed(1)];
    case 'boolean':
      return [closed(true)];
    case 'null':
      return [closed(null)];
    default:
      return [{ value: {}, isOpen: true }];
  }
}

/** The first form of each member; then each of their other forms once. */
function objects(properties: JsonObject, next: (part: unknown) => readonly Sample[]): readonly Sample[] {
  const members = Object.entries(properties).map(([name, schema]) => [name, next(schema)] as const);
  const usual = members.map(([name, [first]]) => [name, first ?? closed(null)] as const);
  const others = members.flatMap(([name, forms]) => forms.slice(1).map((form) => [name, form] as const));
  return [undefined, ...others].slice(0, MOST).map((other) => {
    const chosen = usual.map(([name, sample]) => [name, other?.[0] === name ? other[1] : sample] as const);
    return {
      value: Object.fromEntries(chosen.map(([name, { value }]) => [name, value])),
      isOpen: chosen.some(([, { isOpen }]) => isOpen),
    };
  });
}

function typeOf(schema: JsonObject): unknown {
  const type = member(schema, 'type');
  if (Array.isArray(type)) return (type as unknown[]).find((one) => one !== 'null');
  if (type !== undefined) return type;
  return member(schema, 'properties') === undefined ? member(schema, 'items') && 'array' : 'object';
}

/** A text that is also a word of a finished job: the schema may not say which texts a status has. */
function textOf(schema: JsonObject): string {
  switch (member(schema, 'format')) {
    case 'uri':
    case 'url':
      return 'https://cdn.example/file';
    case 'date-time':
      return '2024-05-01T12:00:00Z';
    default:
      return 'completed';
  }
}

function closed(value: unknown): Sample {
  return { value, isOpen: false };
}
