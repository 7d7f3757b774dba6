import * as z from 'zod';
import { OWN_NAME } from '../contract/add-own-operations.ts';
import type { OwnOperation } from '../contract/own-operation.ts';
import type { OwnName } from '../contract/operations.ts';
import { PRICE_UNIT_NAMES } from '../contract/price-units.ts';

// Schemas that the config file and the record of a schedule share. "Own operations" are those that a user adds to the
// API's.

/** Returns a schema for one of these names, or the name of a user's own operation. */
export function nameIn<Name extends string>(names: readonly Name[]): z.ZodType<Name | OwnName, Name | OwnName> {
  const own = z.string().regex(OWN_NAME) as unknown as z.ZodType<OwnName, OwnName>;
  return z.union([z.enum(names), own]);
}

/** The members of a price. */
export const PRICE_MEMBERS = {
  unit: z.enum(PRICE_UNIT_NAMES),
  credits: z.number().nonnegative(),
  cjkFactor: z.number().positive().exactOptional(),
};

/** A column of an own operation. */
const COLUMN = z.strictObject({
  field: z.string().min(1),
  cell: z.enum(['text', 'name', 'number']).exactOptional(),
  optional: z.boolean().exactOptional(),
});

/** The own operations of a user; see `contract/own-operation.ts`. Records of batches have them, too. */
export const OWN_OPERATIONS: z.ZodType<readonly OwnOperation[]> = z.array(
  z.strictObject({
    name: z.string().regex(OWN_NAME, { message: 'expected at most 40 small letters, digits and dashes' }),
    path: z.string(),
    answer: z.enum(['job', 'direct']),
    result: z.enum(['audio', 'video']),
    links: z.array(z.string().min(1)).min(1).exactOptional(),
    columns: z.record(z.string(), COLUMN),
    price: z.strictObject(PRICE_MEMBERS),
  }),
);
