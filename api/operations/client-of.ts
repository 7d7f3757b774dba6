import type { Failure } from '../../contract/failures.ts';
import type { Operation } from '../../contract/row-kinds.ts';
import type { AnyDialectTable } from '../dialects/dialect-table.ts';
import { ApiError } from '../speech-api.ts';
import type { OperationClients } from './operation-client.ts';

/** How a dialect requests an operation. Throws {@link ApiError} if it has none such; nothing was sent then. */
export function clientOf<O extends Operation>(table: AnyDialectTable, operation: O): OperationClients<'v1'>[O] {
  // Each table says which operations it lacks; here it may be either table.
  const client = table.operations[operation] as OperationClients<'v1'>[O] | null;
  if (client === null) throw new ApiError(lacks(table, operation));
  return client;
}

/** The failure of a request for something that a dialect does not have. */
export function lacks({ dialect }: AnyDialectTable, what: string): Failure {
  return {
    class: 'BadRequest',
    message: `The ${dialect} paths of the API have no ${what}; nothing was sent.`,
    cause: `no ${what} on the ${dialect} paths`,
  };
}
