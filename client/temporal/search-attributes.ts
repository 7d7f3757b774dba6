import { Connection, isGrpcServiceError } from '@temporalio/client';
import {
  SEARCH_ATTRIBUTES,
  SEARCH_ATTRIBUTE_NAMES,
  type SearchAttributeName,
} from '../../contract/search-attributes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { withTimeout, type Temporal } from './open-temporal.ts';

/** Temporal's `IndexedValueType` of each type, and its name on Temporal's command line. */
const TYPES = {
  KEYWORD: { code: 2, word: 'Keyword' },
  INT: { code: 3, word: 'Int' },
  DOUBLE: { code: 4, word: 'Double' },
} as const;

/** Which of voxbatch's search attributes a namespace has. */
export interface FoundSearchAttributes {
  readonly there: readonly SearchAttributeName[];
  /** Those that it lacks, or has with another type. */
  readonly missing: readonly SearchAttributeName[];
}

const NONE: FoundSearchAttributes = { there: [], missing: SEARCH_ATTRIBUTE_NAMES };

type Place = Pick<Temporal, 'client' | 'namespace'>;

/** Timeout of both calls together, ms. Work does not depend on them. */
const TIMEOUT_MS = 5_000;

/** Finds voxbatch's search attributes in a namespace. If the server refuses to list them, all count as missing. */
export async function findSearchAttributes(place: Place): Promise<FoundSearchAttributes> {
  return (await tried(place, () => found(place))) ?? NONE;
}

/**
 * Creates the missing search attributes. Without the permission, or if the namespace has no room for more, they stay
 * missing, and batches run without them.
 */
export async function makeSearchAttributes(place: Place): Promise<FoundSearchAttributes> {
  const before = await tried(place, () => found(place));
  // Without the permission to list, there is none to create either; and a server that does not answer would cost a
  // timeout for each attribute.
  if (before === undefined) return NONE;
  if (before.missing.length === 0) return before;
  // One by one: if there is no room for another attribute of one type, the others are still created.
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

/** Temporal's operator service, which manages search attributes; only the SDK's own connections offer it. */
function operatorOf({ connection }: Place['client']): Connection['operatorService'] | undefined {
  return connection instanceof Connection ? connection.operatorService : undefined;
}

/** Makes a call with a timeout. Undefined if the server refuses or does not answer. */
async function tried<T>({ client }: Place, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await withTimeout(client, TIMEOUT_MS, call);
  } catch (error) {
    if (isGrpcServiceError(error)) return undefined;
    throw error;
  }
}
