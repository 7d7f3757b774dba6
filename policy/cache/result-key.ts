import { canonicalJson } from '../../contract/canonical-json.ts';
import { contentOfCell } from '../../contract/local-media.ts';
import type { Account } from '../../contract/names.ts';
import {
  COLUMN_CELLS,
  columnsReadBy,
  dialectOf,
  factsOf,
  linkOf,
  operationOf,
  type JsonValue,
  type Kind,
  type MediaColumn,
  type Operation,
  type RowSpec,
  type SpecColumn,
  type Step,
  type TtsMode,
} from '../../contract/row-kinds.ts';

/**
 * The cache key of a result: a digest of everything that shapes it. Two steps with the same key request the same thing,
 * so one may reuse the result of the other.
 *
 * Part of the key: the API's address and dialect, the account, the operation, the columns that the operation reads,
 * every `api.*` field, the identity of media behind URLs, and the content of local files. A link that an earlier step
 * makes is represented by that step's key. Not part of it: the row's id and position, columns that are only carried
 * along, `duration`, and the format of the manifest.
 *
 * Text is normalised to Unicode NFC, because the same characters can be encoded in two ways. Everything else counts as
 * sent: a voice given explicitly and the same voice by default are two keys, which costs one more request at most.
 */

/** Version of the key's definition. Increment it when the definition changes, so that no older result is reused. */
const VERSION = 1;

/**
 * Identifies the content behind a URL without downloading it: a strong entity tag and the length, as the server reports
 * them. Both are required, because either alone may be the same for different content.
 */
export interface MediaIdentity {
  /** A strong `ETag`, with its quotes. */
  readonly etag: string;
  readonly bytes: number;
}

/** A digest of a text, such as SHA-256. */
export type Digest = (text: string) => string;

/** What a key depends on besides the row. */
export interface KeyContext {
  readonly realm: Account;
  readonly tts: TtsMode;
  /** Identities by URL; a URL with unknown content is absent. */
  readonly media: ReadonlyMap<string, MediaIdentity>;
  readonly digest: Digest;
  /**
   * sha256 (hex) of the files that earlier steps of the row made. Used for rows with `verify`, whose later steps depend
   * on the very file that passed the check; another speech with the same key might not pass.
   */
  readonly made?: ReadonlyMap<Step, string> | undefined;
}

/** Returns the key of a step's result; undefined if the content of its media is unknown, so it cannot be shared. */
export function resultKeyOf(spec: RowSpec, step: Step, context: KeyContext): string | undefined {
  const inputs: [column: string, value: JsonValue][] = [];
  for (const column of columnsInOrder(spec.kind, step)) {
    const value = inputOf(spec, step, column, context);
    if (value === undefined) return undefined;
    if (value !== null) inputs.push([column, value]);
  }
  const { realm, tts, digest } = context;
  const operation = operationOf(spec, step, tts);
  // `v1` is omitted, so that keys from before dialects existed stay valid.
  const dialect = dialectOf(spec);
  const api = dialect === 'v1' ? [realm.apiUrl] : [realm.apiUrl, dialect];
  return digest(canonicalJson([VERSION, ...api, realm.account, definitionOf(operation), inputs, spec.extra]));
}

/**
 * Returns the name of a built-in operation, or the whole definition of a user's own one (without its price), because
 * its name may have had another definition in another configuration.
 */
function definitionOf(operation: Operation): JsonValue {
  const { own } = factsOf(operation);
  if (own === undefined) return operation;
  return canonicalJson({ ...own, price: null });
}

/** Cache of sorted columns, by kind and step: a manifest needs the same few a million times. */
const SORTED_COLUMNS = new Map<string, readonly SpecColumn[]>();

function columnsInOrder(kind: Kind, step: Step): readonly SpecColumn[] {
  const name = `${kind} ${step}`;
  const known = SORTED_COLUMNS.get(name) ?? columnsReadBy(kind, step).toSorted();
  SORTED_COLUMNS.set(name, known);
  return known;
}

/** Returns the URLs of a row whose {@link MediaIdentity} the keys of its steps need. */
export function mediaUrlsOf(spec: RowSpec): readonly string[] {
  return MEDIA_COLUMNS.flatMap((column) => spec[column] ?? []).filter((cell) => contentOfCell(cell) === undefined);
}

const MEDIA_COLUMNS = (Object.keys(COLUMN_CELLS) as SpecColumn[]).filter(isMedia);

function isMedia(column: SpecColumn): column is MediaColumn {
  return COLUMN_CELLS[column] === 'link';
}

/**
 * Returns a column's contribution to a step's key; null if the column is empty, undefined if its content is unknown.
 */
function inputOf(spec: RowSpec, step: Step, column: SpecColumn, context: KeyContext): JsonValue | undefined {
  const link = linkOf(spec.kind, step);
  if (link?.column === column) {
    if (spec.verify !== undefined) {
      const sha256 = context.made?.get(link.of);
      return sha256 === undefined ? undefined : { sha256 };
    }
    const made = resultKeyOf(spec, link.of, context);
    return made === undefined ? undefined : { madeBy: made };
  }
  const value = spec[column];
  if (value === undefined) return null;
  if (typeof value === 'object') return value.map(({ sha256 }) => ({ sha256 }));
  if (!isMedia(column)) return COLUMN_CELLS[column] === 'text' ? { text: String(value).normalize('NFC') } : { value };
  const sha256 = contentOfCell(String(value));
  if (sha256 !== undefined) return { sha256 };
  const identity = context.media.get(String(value));
  return identity === undefined ? undefined : { url: String(value), etag: identity.etag, bytes: identity.bytes };
}

/**
 * Whether a step of two rows sends the same request, so that the API may answer both with one job. Media count by their
 * URLs. The dialect and `verify` do not count, because they do not change the job.
 */
export function isSameRequest(step: Step, one: RowSpec, other: RowSpec): boolean {
  const request = requestOf(step, one);
  return request !== undefined && request === requestOf(step, other);
}

function requestOf(step: Step, { dialect: _dialect, verify: _verify, ...request }: RowSpec): string | undefined {
  return resultKeyOf(request, step, {
    realm: { apiUrl: '', account: '' },
    tts: 'job',
    media: new Map(mediaUrlsOf(request).map((url) => [url, ANY_CONTENT])),
    digest: (text) => text,
  });
}

/** Makes equal URLs count as equal content. */
const ANY_CONTENT = { etag: '', bytes: 0 };
