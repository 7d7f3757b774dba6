import type { Dialect } from '../../contract/dialects.ts';
import type { FreeRequest } from '../free-request.ts';
import type { OperationClients } from '../operations/operation-client.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Operation } from '../../contract/row-kinds.ts';
import { ApiError } from '../speech-api.ts';

/** Which page of the voices is wanted. */
export interface VoicesWanted {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Voices on the pages before. */
  readonly offset: number;
  readonly search?: string;
  readonly provider?: string;
}

/** How one dialect of the API is spoken. All that differs between dialects is in these tables. */
export interface DialectTable<D extends Dialect> {
  readonly dialect: D;
  /** Where its paths begin: at the base address, or where the base address has `/api/open/v1`. */
  readonly begin: 'base' | 'host';
  readonly operations: OperationClients<D>;
  /** Reads the account. */
  readonly profile: FreeRequest;
  /** Changes settings of the account, given as the body; null: it cannot. */
  readonly updateProfile: FreeRequest | null;
  /** Reads a page of the voices. */
  readonly voices: (wanted: VoicesWanted) => FreeRequest;
  /** Deletes a voice of the account. */
  readonly deleteVoice: (voiceId: string) => FreeRequest;
  /** Whether missing credits are a 402; otherwise they are a 429, like too many requests. */
  readonly has402: boolean;
  /** Whether the API searches the voices; otherwise it lists them all. */
  readonly searchesVoices: boolean;
}

export type AnyDialectTable = { [D in Dialect]: DialectTable<D> }[Dialect];

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
