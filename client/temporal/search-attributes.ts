import { Connection, isGrpcServiceError } from '@temporalio/client';
import {
  SEARCH_ATTRIBUTES,
  SEARCH_ATTRIBUTE_NAMES,
  type SearchAttributeName,
} from '../../contract/search-attributes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { inTime, type Temporal } from './open-temporal.ts';

/** Temporal's `IndexedValueType` of each type, and what its command line calls it. */
const TYPES = {
  KEYWORD: { code: 2, word: 'Keyword' },
  INT: { code: 3, word: 'Int' },
  DOUBLE: { code: 4, word: 'Double' },
} as const;

/** The search attributes that a namespace has, of those that batches show, and those that it lacks. */
export interface FoundSearchAttributes {
  readonly there: readonly SearchAttributeName[];
  /** With one of the same name and another type among them. */
  readonly missing: readonly SearchAttributeName[];
}

const NONE: FoundSearchAttributes = { there: [], missing: SEARCH_ATTRIBUTE_NAMES };

type Place = Pick<Temporal, 'client' | 'namespace'>;

/** Timeout of both calls together, ms. Work does not depend on them. */
const TIMEOUT_MS = 5_000;

/** Looks for the search attributes. Where the server does not say, all are missing. */
export async function findSearchAttributes(place: Place): Promise<FoundSearchAttributes> {
  return (await tried(place, () => found(place))) ?? NONE;
}

/**
 * Creates the search attributes that are missing, if this process has the right to. Without it, or where the namespace
 * has no room for more, they stay missing: batches run without.
 */
export async function makeSearchAttributes(place: Place): Promise<FoundSearchAttributes> {
  const before = await tried(place, () => found(place));
  // Whoever may not look may not create either, and a server that does not answer would be waited for once for each.
  if (before === undefined) return NONE;
  if (before.missing.length === 0) return before;
  // One by one: a type whose room is used up must not keep out the others.
  for (const name of before.missing) await tried(place, () => create(place, name));
  return findSearchAttributes(place);
}

/** The command that creates search attributes by hand. */
export function searchAttributeCommand(
  { namespace, address }: Pick<Temporal, 'namespace' | 'address'>,
  names: readonly SearchAttributeName[],
): string {
  const words = names.map((name) => `--name ${name} --type ${TYPES[SEARCH_ATTRIBUTES[name]].word}`);
  const place = `--address ${shellWord(address)} --namespace ${shellWord(namespace)}`;
  return `temporal operator search-attribute create ${place} ${words.join(' ')}`;
}

async function found({ client, namespace }: Place): Promise<FoundSearchAttributes> {
  const { customAttributes = {} } = (await operatorOf(client)?.listSearchAttributes({ namespace })) ?? {};
  const isThere = (name: SearchAttributeName): boolean =>
    (customAttributes[name] as number | undefined) === TYPES[SEARCH_ATTRIBUTES[name]].code;
  return {
    there: SEARCH_ATTRIBUTE_NAMES.filter(isThere),
    missing: SEARCH_ATTRIBUTE_NAMES.filter((name) => !isThere(name)),
  };
}

async function create({ client, namespace }: Place, name: SearchAttributeName): Promise<void> {
  const searchAttributes: Record<string, number> = { [name]: TYPES[SEARCH_ATTRIBUTES[name]].code };
  await operatorOf(client)?.addSearchAttributes({ namespace, searchAttributes });
}

/** The part of the server that knows search attributes; only connections of the SDK's own class reach it. */
function operatorOf({ connection }: Place['client']): Connection['operatorService'] | undefined {
  return connection instanceof Connection ? connection.operatorService : undefined;
}

/** Undefined if the server refuses or does not answer: another process may have the right, or time. */
async function tried<T>({ client }: Place, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await inTime(client, TIMEOUT_MS, call);
  } catch (error) {
    if (isGrpcServiceError(error)) return undefined;
    throw error;
  }
}
