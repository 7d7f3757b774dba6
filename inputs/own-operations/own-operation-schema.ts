import * as z from 'zod';
import { OWN_NAME } from '../../contract/own-operations/own-operation-rules.ts';
import type { OwnColumn, OwnOperation, OwnPrice } from '../../contract/own-operations/own-operation.ts';
import type { OwnName } from '../../contract/operations.ts';
import { PRICE_UNIT_NAMES, type Tariff } from '../../contract/price-units.ts';

// Schemas that the config file and the record of a schedule share. "Own operations" are those that a user adds to the
// API's.

/** Returns a schema for one of these names, or the name of a user's own operation. */
export function nameIn<Name extends string>(names: readonly Name[]): z.ZodType<Name | OwnName, Name | OwnName> {
  const own = z.string().regex(OWN_NAME) as unknown as z.ZodType<OwnName, OwnName>;
  return z.union([z.enum(names), own]);
}

/**
 * The schemas `S` of all members of `T`. A table `satisfies` it only if it has exactly the members of `T`, and each of
 * its schemas accepts every value that `T` allows: what the type allows is then never refused as unknown.
 */
type MembersOf<T, S> = {
  readonly [K in keyof Required<T>]: K extends keyof S
    ? [T[K]] extends [z.output<S[K]> | undefined]
      ? z.ZodType<T[K]>
      : never
    : z.ZodType<T[K]>;
} & { readonly [K in Exclude<keyof S, keyof T>]: never };

const TARIFF = {
  unit: z.enum(PRICE_UNIT_NAMES),
  credits: z.number().nonnegative(),
  cjkFactor: z.number().positive().exactOptional(),
};
/** The members of a price. */
export const PRICE_MEMBERS = TARIFF satisfies MembersOf<Tariff, typeof TARIFF>;

/** The members of an own operation's price. */
const PRICE = { ...PRICE_MEMBERS, column: z.string().min(1).exactOptional() };

/** The members of a column of an own operation. */
const COLUMN = {
  field: z.string().min(1),
  cell: z.enum(['text', 'name', 'number']).exactOptional(),
  optional: z.boolean().exactOptional(),
};

/** The members of an own operation. */
const OPERATION = {
  name: z.string().regex(OWN_NAME, { message: 'expected at most 40 small letters, digits and dashes' }),
  path: z.string(),
  answer: z.enum(['job', 'direct']),
  result: z.enum(['audio', 'video']),
  links: (z.array(z.string().min(1)).min(1) as z.ZodType<readonly string[]>).exactOptional(),
  columns: z.record(z.string(), z.strictObject(COLUMN satisfies MembersOf<OwnColumn, typeof COLUMN>)),
  price: z.strictObject(PRICE satisfies MembersOf<OwnPrice, typeof PRICE>),
};

/** The own operations of a user; see `contract/own-operations/own-operation.ts`. Records of batches have them, too. */
export const OWN_OPERATIONS: z.ZodType<readonly OwnOperation[]> = z.array(
  z.strictObject(OPERATION satisfies MembersOf<OwnOperation, typeof OPERATION>),
);
