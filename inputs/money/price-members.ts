import * as z from 'zod';
import { PRICE_UNIT_NAMES } from '../../contract/price-units.ts';

/** The members of a price, as the config file and the record of a schedule have them. */
export const PRICE_MEMBERS = {
  unit: z.enum(PRICE_UNIT_NAMES),
  credits: z.number().nonnegative(),
  cjkFactor: z.number().positive().exactOptional(),
};
