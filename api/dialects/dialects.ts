import type { Dialect } from '../../contract/dialects.ts';
import type { DialectTable } from './dialect-table.ts';
import { LEGACY } from './legacy.ts';
import { V1 } from './v1.ts';

/** How each dialect is spoken. */
export const DIALECT_TABLES: { readonly [D in Dialect]: DialectTable<D> } = { v1: V1, legacy: LEGACY };
