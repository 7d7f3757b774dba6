import { cellOf, factsOf, KIND_FACTS, type SpecColumn } from '../../contract/operations.ts';
import { OPERATIONS, type Operation, type RowSpec } from '../../contract/row-kinds.ts';
import { clientIn, type AnyDialectTable } from '../dialects/dialect-table.ts';
import type { FreeRequest } from '../free-request.ts';
import type { JobClient, ListedClient, OperationClient } from '../operations/operation-client.ts';

/* Every kind of request that the client makes, for `check-schema.ts` to compare with the API's OpenAPI document. */

/** A kind of request that the client makes. */
export interface ClientCall {
  readonly method: string;
  /** With `{id}` for an id; relative to the dialect's prefix. */
  readonly path: string;
  /** Members of the request's body, JSON or multipart. `isNeeded`: it is in every such request. */
  readonly sends: readonly { readonly name: string; readonly isNeeded: boolean }[];
  /** Names of the query parameters. */
  readonly asks: readonly string[];
  /**
   * Whether it is made only on explicit request: for rows of a kind that must be named, or by a command of its own. If
   * the API lacks it, other work is not affected.
   */
  readonly isRare: boolean;
}

/** Placeholder for an id in a path. */
const ID = 'voxbatch-any-id';

/** Returns all calls that the client makes in a dialect, derived from the same tables as its requests. */
export function clientCalls(dialect: AnyDialectTable): readonly ClientCall[] {
  const { profile, updateProfile, voices, deleteVoice } = dialect;
  const account = [profile, ...(updateProfile === null ? [] : [updateProfile])];
  return [
    ...[...account, voices({ page: 1, pageSize: 100, offset: 0 })].map((request) => freeCall(request, false)),
    freeCall(deleteVoice(ID), true),
    // Not the operations that the user has defined: their requests are as the configuration says.
    ...OPERATIONS.filter((one) => factsOf(one).own === undefined).flatMap((operation) => {
      const client: OperationClient | JobClient | ListedClient | null = clientIn(dialect, operation);
      if (client === null) return [];
      const isRare = isRareOperation(operation);
      const reads = ['read' in client ? client.read(ID) : [], 'list' in client ? client.list(1, 50) : []].flat();
      return [paidCall(operation, client, isRare), ...reads.map((request) => freeCall(request, isRare))];
    }),
  ];
}

function paidCall(operation: Operation, client: OperationClient, isRare: boolean): ClientCall {
  const { needs, takes } = factsOf(operation);
  const needed = new Set(fieldsOf(operation, client, needs));
  const sends = fieldsOf(operation, client, [...needs, ...takes]).map((name) => ({ name, isNeeded: needed.has(name) }));
  return { method: 'POST', path: client.path, sends, asks: [], isRare };
}

/**
 * Members of the request of a row that has these columns: builds the body for a row with a placeholder value in each.
 * The row's kind does not matter, because the operation is given.
 */
function fieldsOf(operation: Operation, client: OperationClient, columns: readonly SpecColumn[]): readonly string[] {
  const cells = columns.map((column) => [column, ['number', 'seconds'].includes(cellOf(column)) ? 1 : 'a']);
  const spec = { kind: 'tts', extra: {}, ...Object.fromEntries(cells) } as RowSpec;
  const body = Object.keys(client.body({ operation, spec, idempotencyKey: 'a', isRepeat: false, trust503: true }));
  return client.upload === undefined ? body : [...body, client.upload.part];
}

/** Whether only kinds of rows that must be named use the operation. */
function isRareOperation(operation: Operation): boolean {
  const kinds = Object.values(KIND_FACTS).filter(({ steps }) =>
    steps.some((step) => step.operation === operation || step.syncOperation === operation),
  );
  return kinds.length > 0 && kinds.every(({ onlyByName }) => onlyByName === true);
}

function freeCall({ method, path, body }: FreeRequest, isRare: boolean): ClientCall {
  const [bare = '', query = ''] = path.split('?', 2);
  return {
    method,
    path: bare.replace(ID, '{id}'),
    sends: body === undefined ? [] : Object.keys(JSON.parse(body) as object).map((name) => ({ name, isNeeded: true })),
    asks: [...new URLSearchParams(query).keys()],
    isRare,
  };
}
