import * as z from 'zod';
import { boundsOf, COLUMN_CELLS, KINDS, columnsOfKind, type SpecColumn } from '../../contract/row-kinds.ts';
import { isDefaulted } from '../../contract/batch.ts';
import { specColumns } from '../../inputs/header-names.ts';
import { configSchema } from '../../inputs/config-file.ts';
import { receiptSchema } from '../../results/receipt.ts';
import { resultSchema } from '../../results/result-line.ts';
import { summarySchema } from '../../results/summary.ts';

/** A cell of a manifest in JSONL, as its reader takes it. */
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const filled = z.union([z.string().regex(/\S/), z.number(), z.boolean()]);
const mediaUrl = z.union([z.string().regex(/^([Hh][Tt][Tt][Pp][Ss]?:\/\/[^/\s]\S*|\s*)$/), z.null()]);

function cellOf(column: SpecColumn): z.ZodType {
  if (COLUMN_CELLS[column] === 'link') return mediaUrl;
  const bounds = KINDS.flatMap((kind) => boundsOf(kind, column) ?? []);
  if (bounds.length === 0) return cell;
  const least = Math.min(...bounds.map((one) => one.least));
  const most = Math.max(...bounds.map((one) => one.most));
  return z.union([z.string(), z.null(), z.number().min(least).max(most)]);
}

/**
 * A line of a manifest in JSONL. Other columns are carried along. A column is required where no flag can fill it, and where the line says of which
 * kind it is.
 */
function manifestSchema(): object {
  const columns = Object.fromEntries(specColumns().map((column) => [column, cellOf(column).optional()]));
  const line = z.looseObject({
    id: z.union([z.string().max(200), z.number(), z.null()]).optional(),
    kind: z.union([z.enum(KINDS), z.enum(['']), z.null()]).optional(),
    ...columns,
  });
  const needs = KINDS.map((kind) => {
    const required = columnsOfKind(kind).required.filter((column) => !isDefaulted(column));
    const { properties } = inJson(z.looseObject(Object.fromEntries(required.map((column) => [column, filled]))));
    const isKind = { properties: { kind: { const: kind } }, required: ['kind'] };
    return { if: isKind, then: { properties, required } };
  });
  return {
    ...inJson(line),
    additionalProperties: cell.toJSONSchema(),
    patternProperties: { '^(api[.]|_).': {} },
    allOf: needs,
  };
}

/** As somebody may write it: with transforms and defaults still to come, and with fields that a later version may add. */
function inJson(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input' });
}

const described = (title: string, description: string, schema: object): object => ({
  ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', title, description },
  ...Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema')),
});

/** The JSON Schemas that are published in the package, by file below `schemas/`. */
export const JSON_SCHEMAS: Readonly<Record<string, object>> = {
  'config.schema.json': described('voxbatch.config.json', 'Settings; all are optional.', inJson(configSchema)),
  'manifest.schema.json': described('voxbatch manifest', 'A line of a manifest in JSONL.', manifestSchema()),
  'receipt.schema.json': described('voxbatch receipt', 'A line of receipts.jsonl.', inJson(receiptSchema)),
  'result.schema.json': described('voxbatch result', 'A line of results.jsonl.', inJson(resultSchema)),
  'summary.schema.json': described('voxbatch summary', 'summary.json.', inJson(summarySchema)),
};

/** A schema as its file has it. */
export function textOf(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
