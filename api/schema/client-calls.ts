import { Readable } from 'node:stream';
import { COLUMN_CELLS, KIND_FACTS, OPERATION_FACTS, type SpecColumn } from '../../contract/operations.ts';
import { OPERATIONS, type Operation, type RowSpec } from '../../contract/row-kinds.ts';
import { AnswerBody } from '../answer-body.ts';
import type { Connection } from '../connection.ts';
import type { FreeRequest } from '../free-request.ts';
import type { AnswerHead } from '../http.ts';
import { listJobs } from '../list-jobs.ts';
import { listVoices } from '../voices/list-voices.ts';
import type { JobClient, ListedClient, OperationClient } from '../operations/operation-client.ts';
import { readPaidJob } from '../read-paid-job.ts';
import { readProfile } from '../account/read-profile.ts';
import { ApiError } from '../speech-api.ts';
import { Watch } from '../watch.ts';

/** A request that the client makes, and what it needs of the answer. */
export interface ClientCall {
  readonly method: string;
  /** With `{id}` for an id; relative to where the paths of the dialect begin. */
  readonly path: string;
  /** Members of the JSON body. `isNeeded`: it is in every such request. */
  readonly sends: readonly { readonly name: string; readonly isNeeded: boolean }[];
  /** Parameters of the query. */
  readonly asks: readonly string[];
  /** True if the answer may be the media itself. */
  readonly answersMedia: boolean;
  /** True if only who asks for it by name makes it: rows by their kind, or a command. */
  readonly isRare: boolean;
  /** Whether the client finds in an answer what it needs; undefined: it needs nothing of it. */
  readonly reads: ((json: unknown) => Promise<boolean>) | undefined;
}

/** Stands for any id in a path. */
const ID = 'voxbatch-any-id';

/**
 * All that the client asks of the API in a dialect. It is found out by asking the client itself: its requests are recorded, and its own readers read the
 * answers. Nothing is sent.
 */
export async function clientCalls(connection: Connection): Promise<readonly ClientCall[]> {
  const { dialect } = connection;
  const calls: ClientCall[] = [];
  const free = async (use: (on: Connection) => Promise<boolean>, isRare = false): Promise<void> => {
    const request = await requestOf(connection, use);
    if (request !== undefined)
      calls.push({ ...freeCall(request), isRare, reads: (json) => finds(connection, use, json) });
  };
  await free(async (on) => (await readProfile(on, undefined)).userId !== '');
  if (dialect.updateProfile !== null) calls.push(freeCall(dialect.updateProfile));
  await free(async (on) => {
    for await (const { id } of listVoices(on, {}, undefined)) return id !== '';
    return false;
  });
  calls.push({ ...freeCall(dialect.deleteVoice(ID)), isRare: true });
  for (const operation of OPERATIONS) {
    const client: OperationClient | JobClient | ListedClient | null = dialect.operations[operation];
    if (client === null) continue;
    calls.push(paidCall(operation, client));
    const isRare = isRareOperation(operation);
    if ('read' in client) {
      await free(async (on) => {
        const { phase, resultUrl } = await readPaidJob(on, operation as never, ID, undefined);
        return phase === 'completed' && resultUrl !== undefined;
      }, isRare);
    }
    if ('list' in client) {
      await free(async (on) => (await listJobs(on, operation as never, 1, 50, undefined)).jobs.length > 0, isRare);
    }
  }
  return calls;
}

function paidCall(operation: Operation, client: OperationClient): ClientCall {
  const { needs, takes } = OPERATION_FACTS[operation];
  const needed = new Set(fieldsOf(operation, client, needs));
  return {
    method: 'POST',
    path: client.path,
    sends: fieldsOf(operation, client, [...needs, ...takes]).map((name) => ({ name, isNeeded: needed.has(name) })),
    asks: [],
    answersMedia: client.answersMedia,
    isRare: isRareOperation(operation),
    reads: (json) => Promise.resolve(client.reply(json) !== undefined),
  };
}

/** Members of the request of a row that has these columns. */
function fieldsOf(operation: Operation, client: OperationClient, columns: readonly SpecColumn[]): readonly string[] {
  const cells = columns.map((column) => [column, ['number', 'seconds'].includes(COLUMN_CELLS[column]) ? 1 : 'a']);
  const spec = { kind: 'tts', extra: {}, ...Object.fromEntries(cells) } as RowSpec;
  const body = Object.keys(client.body({ operation, spec, idempotencyKey: 'a', isRepeat: false, trust503: true }));
  return client.upload === undefined ? body : [...body, client.upload.part];
}

function isRareOperation(operation: Operation): boolean {
  const kinds = Object.values(KIND_FACTS).filter(({ steps }) =>
    steps.some((step) => step.operation === operation || step.atOnce === operation),
  );
  return kinds.length > 0 && kinds.every(({ onlyByName }) => onlyByName === true);
}

function freeCall({ method, path, body }: FreeRequest): ClientCall {
  const [bare = '', query = ''] = path.split('?', 2);
  return {
    method,
    path: bare.replace(ID, '{id}'),
    sends: body === undefined ? [] : Object.keys(JSON.parse(body) as object).map((name) => ({ name, isNeeded: true })),
    asks: [...new URLSearchParams(query).keys()],
    answersMedia: false,
    isRare: false,
    reads: undefined,
  };
}

/** The request that a call of the client makes first. */
async function requestOf(
  connection: Connection,
  use: (on: Connection) => Promise<boolean>,
): Promise<FreeRequest | undefined> {
  let made: FreeRequest | undefined;
  const on: Connection = {
    ...connection,
    request: (request) => {
      made ??= request;
      return Promise.resolve(answerOf({}));
    },
  };
  await use(on).catch(refused);
  return made;
}

/** Whether a call of the client finds what it needs in this answer. */
function finds(connection: Connection, use: (on: Connection) => Promise<boolean>, json: unknown): Promise<boolean> {
  return use({ ...connection, request: () => Promise.resolve(answerOf(json)) }).catch(refused);
}

function refused(error: unknown): false {
  if (error instanceof ApiError) return false;
  throw error;
}

/** An answer that nobody sent. */
function answerOf(json: unknown): AnswerHead {
  const bytes = Buffer.from(JSON.stringify(json ?? null));
  const never = { connectTimeoutMs: 60_000, headTimeoutMs: 60_000, totalTimeoutMs: 60_000, idleTimeoutMs: 60_000 };
  const watch = new Watch(never, () => undefined);
  return {
    type: 'answer',
    status: 200,
    header: () => undefined,
    info: { contentType: 'application/json' },
    body: new AnswerBody(Readable.from([bytes]), bytes.length, watch, () => {
      watch.stop();
    }),
    remoteAddress: () => undefined,
  };
}
