import { clientOf } from '../../api/dialects/dialect-table.ts';
import { expect, it } from '@jest/globals';
import { DIALECT_TABLES } from '../../api/dialects/dialects.ts';
import { COLUMN_CELLS, factsOf, OPERATIONS, type Operation, type RowSpec } from '../../contract/row-kinds.ts';
import { openApiDocument } from '../../simulator/open-api.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: RequestBody } | undefined>>>>;
interface RequestBody {
  readonly content: Readonly<Record<string, { readonly schema: { readonly properties: object } }>>;
}
const paths = openApiDocument()['paths'] as Paths;

/** The fields of a request for a row with something in every column that the operation reads. */
function fieldsOf(operation: Operation): readonly string[] {
  const { needs, takes } = factsOf(operation);
  const cells = [...needs, ...takes].map((column) => [column, COLUMN_CELLS[column] === 'number' ? 1 : 'something']);
  const spec = { kind: 'tts', ...Object.fromEntries(cells), extra: {} } as RowSpec;
  const request = { operation, spec, idempotencyKey: 'key', isRepeat: false, trust503: false };
  return Object.keys(clientOf(DIALECT_TABLES.v1, operation).body(request));
}

// It ignores a field that it does not know, as the API does, and a rehearsal would not notice.
it.each(OPERATIONS)('the simulator knows every field of a request that %s sends', (operation) => {
  const { path } = clientOf(DIALECT_TABLES.v1, operation);
  const body = paths[path]?.['post']?.requestBody;
  const form = body?.content['application/json'] ?? body?.content['multipart/form-data'];
  expect(Object.keys(form?.schema.properties ?? {})).toEqual(expect.arrayContaining([...fieldsOf(operation)]));
});
