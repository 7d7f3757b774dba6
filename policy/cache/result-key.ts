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
 * What a result is known by: a digest of everything that shapes it. Two steps with the same key ask for the same thing,
 * so one may use the result of the other.
 *
 * In the key: the API's address and dialect, the account, the operation, the columns that the operation reads, every
 * `api.*` field, the identity of media behind a URL, and the content of files on this machine. In place of a link that
 * an earlier step makes stands that step's key. Not in it: the row's id, its place, columns that are carried along,
 * `duration`, and how the file was written.
 *
 * Text is compared after Unicode NFC, as the same characters may be written in two ways. Everything else is compared as
 * it is sent: a voice that is named and the same voice by default are two keys, which costs one more request and
 * nothing else.
 */

/** Raised when a key comes to stand for something else, so that no earlier result is used. */
const VERSION = 1;

/**
 * The content behind a URL, as far as its server tells: a strong entity tag and the length. Without both, other content
 * could have the same identity.
 */
export interface MediaIdentity {
  /** A strong `ETag`, with its quotes. */
  readonly etag: string;
  readonly bytes: number;
}

/** A digest of a text, such as SHA-256. */
export type Digest = (text: string) => string;

/** What else a key depends on. */
export interface KeyContext {
  readonly realm: Account;
  /** How speech is asked for. */
  readonly tts: TtsMode;
  /** The identity of the media behind each URL; absent: unknown. */
  readonly media: ReadonlyMap<string, MediaIdentity>;
  readonly digest: Digest;
  /**
   * sha256 of the files that earlier steps of the row made; absent: not known. Only what comes after a check is known
   * by them: other equal speech may not have passed.
   */
  readonly made?: ReadonlyMap<Step, string> | undefined;
}

/** The key of the result of a step; undefined if the content of its media is not known, so nothing can equal it. */
export function resultKeyOf(spec: RowSpec, step: Step, context: KeyContext): string | undefined {
  const inputs: [column: string, value: JsonValue][] = [];
  for (const column of columnsInOrder(spec.kind, step)) {
    const value = inputOf(spec, step, column, context);
    if (value === undefined) return undefined;
    if (value !== null) inputs.push([column, value]);
  }
  const { realm, tts, digest } = context;
  const operation = operationOf(spec, step, tts);
  // Only a dialect that is not the first is named, so that keys from before there were two still count.
  const dialect = dialectOf(spec);
  const api = dialect === 'v1' ? [realm.apiUrl] : [realm.apiUrl, dialect];
  return digest(canonicalJson([VERSION, ...api, realm.account, asked(operation), inputs, spec.extra]));
}

/**
 * An operation of a user's own is all that its requests are made of: under the same name it may once have been another.
 */
function asked(operation: Operation): JsonValue {
  const { own } = factsOf(operation);
  if (own === undefined) return operation;
  return canonicalJson({ ...own, price: null });
}

/** Columns in order, by kind and step: a manifest asks for the same few a million times. */
const IN_ORDER = new Map<string, readonly SpecColumn[]>();

function columnsInOrder(kind: Kind, step: Step): readonly SpecColumn[] {
  const name = `${kind} ${step}`;
  const known = IN_ORDER.get(name) ?? columnsReadBy(kind, step).toSorted();
  IN_ORDER.set(name, known);
  return known;
}

/** The URLs of a row whose identity the keys of its steps need. */
export function mediaUrlsOf(spec: RowSpec): readonly string[] {
  return MEDIA_COLUMNS.flatMap((column) => spec[column] ?? []).filter((cell) => contentOfCell(cell) === undefined);
}

const MEDIA_COLUMNS = (Object.keys(COLUMN_CELLS) as SpecColumn[]).filter(isMedia);

function isMedia(column: SpecColumn): column is MediaColumn {
  return COLUMN_CELLS[column] === 'link';
}

/** What a column brings to a step; null: nothing; undefined: that is not known. */
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
 * Whether two rows ask the API for the same by a step, so that it may make one job of both requests. Everything that
 * shapes the request counts, media by their URLs. By which paths of the API it is asked for does not count, nor a check
 * of what comes before.
 */
export function isSameRequest(step: Step, one: RowSpec, other: RowSpec): boolean {
  const asked = requestOf(step, one);
  return asked !== undefined && asked === requestOf(step, other);
}

function requestOf(step: Step, { dialect: _dialect, verify: _verify, ...asked }: RowSpec): string | undefined {
  return resultKeyOf(asked, step, {
    realm: { apiUrl: '', account: '' },
    tts: 'job',
    media: new Map(mediaUrlsOf(asked).map((url) => [url, ANY_CONTENT])),
    digest: (text) => text,
  });
}

/** The content behind a URL is the same for both. */
const ANY_CONTENT = { etag: '', bytes: 0 };
