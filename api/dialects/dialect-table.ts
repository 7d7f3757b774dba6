import type { Dialect } from '../../contract/dialects.ts';
import type { FreeRequest } from '../free-request.ts';
import type { JobClient, OperationClient, OperationClients } from '../operations/operation-client.ts';
import { ownClient } from '../own-operations/own-client.ts';
import type { Failure } from '../../contract/failures.ts';
import { factsOf, type BuiltInOperation, type Operation, type OwnName } from '../../contract/row-kinds.ts';
import { ApiError } from '../speech-api.ts';

/** A request for a page of the list of voices. */
export interface VoicePageRequest {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Number of voices on the pages before. */
  readonly offset: number;
  readonly search?: string;
  readonly provider?: string;
}

/** One dialect of the API. All differences between dialects are in these tables. */
export interface DialectTable<D extends Dialect> {
  readonly dialect: D;
  /** Where its paths begin: at the base address, or where the base address has `/api/open/v1`. */
  readonly begin: 'base' | 'host';
  readonly operations: OperationClients<D>;
  /** Reads the account. */
  readonly profile: FreeRequest;
  /** Changes account settings, given as the body; null if the dialect cannot. */
  readonly updateProfile: FreeRequest | null;
  /** Reads a page of the voices. */
  readonly voices: (wanted: VoicePageRequest) => FreeRequest;
  /** Deletes a voice of the account. */
  readonly deleteVoice: (voiceId: string) => FreeRequest;
  /** Whether missing credits are answered with 402; otherwise with 429, like too many requests. */
  readonly has402: boolean;
  /** Whether the API searches the voices; otherwise it lists them all. */
  readonly searchesVoices: boolean;
}

/** The table of any dialect. */
export type AnyDialectTable = { [D in Dialect]: DialectTable<D> }[Dialect];

/** Returns the dialect's client for an operation. Throws {@link ApiError} if the dialect lacks it; nothing is sent. */
export function clientOf<O extends Operation>(table: AnyDialectTable, operation: O): ClientOf<O> {
  const client = clientIn(table, operation);
  if (client === null) throw new ApiError(unsupported(table, operation));
  return client;
}

/** Like {@link clientOf}, but returns null if the dialect lacks the operation. */
export function clientIn<O extends Operation>(table: AnyDialectTable, operation: O): ClientOf<O> | null {
  const { own } = factsOf(operation);
  // Each table's type says which operations it lacks; here it may be either table, or a user-defined operation.
  const client = own === undefined ? table.operations[operation as BuiltInOperation] : ownClient(own);
  return client as ClientOf<O> | null;
}

type ClientOf<O extends Operation> = O extends BuiltInOperation
  ? OperationClients<'v1'>[O]
  : O extends OwnName
    ? JobClient
    : OperationClient;

/** Returns the failure of a request for something that a dialect does not have. `what`: a noun without article. */
export function unsupported({ dialect }: AnyDialectTable, what: string): Failure {
  return {
    class: 'BadRequest',
    message: `The ${dialect} paths of the API have no ${what}; nothing was sent.`,
    cause: `no ${what} on the ${dialect} paths`,
  };
}
