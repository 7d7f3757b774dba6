import * as z from 'zod';
import { OWN_NAME } from '../contract/add-operations.ts';
import type { OwnOperation } from '../contract/own-operation.ts';
import type { OwnName } from '../contract/operations.ts';
import { PRICE_UNIT_NAMES } from '../contract/price-units.ts';

/** One of our names, or one of an operation of a user's own. */
export function nameIn<Name extends string>(names: readonly Name[]): z.ZodType<Name | OwnName, Name | OwnName> {
  const own = z.string().regex(OWN_NAME) as unknown as z.ZodType<OwnName, OwnName>;
  return z.union([z.enum(names), own]);
}

/** The members of a price, as the config file and the record of a schedule have them. */
export const PRICE_MEMBERS = {
  unit: z.enum(PRICE_UNIT_NAMES),
  credits: z.number().nonnegative(),
  cjkFactor: z.number().positive().exactOptional(),
};

const COLUMN = z.strictObject({
  field: z.string().min(1),
  cell: z.enum(['text', 'name', 'number']).exactOptional(),
  optional: z.boolean().exactOptional(),
});

/** Operations of a user's own, as the config file and the records of batches and schedules have them. */
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
