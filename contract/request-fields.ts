import { DIALECTS, type Dialect } from './dialects.ts';
import {
  kindFactsOf,
  factsOf,
  type BuiltInOperation,
  type ColumnsOf,
  type Kind,
  type Operation,
  type OperationIn,
  type SpecColumn,
} from './operations.ts';

/**
 * Maps the columns of a row to the fields of requests, in each dialect. `api/` builds request bodies from this table.
 */

/**
 * By operation: the request field of each column (for files, the name of the multipart part). Null if the dialect lacks
 * the operation.
 */
type RequestFields<D extends Dialect> = {
  readonly [O in BuiltInOperation]: O extends OperationIn<D> ? Readonly<Record<ColumnsOf<O>, string>> : null;
};

/** Fields of synchronous and asynchronous speech. */
const SPEECH = {
  text: 'text',
  voice: 'voiceId',
  engine: 'engineModelId',
  format: 'format',
  speed: 'speed',
  language: 'language',
} as const;

/** Fields of voice creation. */
const VOICE = {
  name: 'name',
  description: 'description',
  visibility: 'visibility',
  transcript: 'referenceText',
  language: 'languages',
  samples: 'audioFiles',
} as const;

/** The fields of every request, by dialect and operation; null where the dialect lacks the operation. */
export const REQUEST_FIELDS: { readonly [D in Dialect]: RequestFields<D> } = {
  v1: {
    'speech-job': SPEECH,
    'speech-sync': SPEECH,
    transcription: { audio: 'audioUrl', language: 'language' },
    'lip-sync-job': { video: 'videoUrl', audio: 'audioUrl' },
    'video-dubbing-job': { video: 'video_url', text: 'text', voice: 'reference_id' },
    voice: VOICE,
  },
  legacy: {
    'speech-job': null,
    // `version` is the older name for the engine. Its values differ, and an unknown one is refused free of charge.
    'speech-sync': { ...SPEECH, voice: 'reference_id', engine: 'version' },
    transcription: null,
    'lip-sync-job': { video: 'video_url', audio: 'audio_url' },
    'video-dubbing-job': null,
    voice: VOICE,
  },
};

/** Other names that the API may accept for a column's field, from its own material and other clients. */
const ALIASES: { readonly [C in SpecColumn]?: readonly string[] } = { voice: ['modelId'], engine: ['modelId'] };

/**
 * Returns all names of each column that a kind reads: the column itself, its request fields in any dialect, and their
 * alternative names.
 */
export function fieldNamesOf(kind: Kind): ReadonlyMap<SpecColumn, readonly string[]> {
  const names = new Map<SpecColumn, string[]>();
  const operations = kindFactsOf(kind).steps.flatMap(({ operation, syncOperation = operation }) => [
    operation,
    syncOperation,
  ]);
  for (const operation of operations) {
    const { needs, takes } = factsOf(operation);
    for (const column of [...needs, ...takes]) {
      const fields = DIALECTS.flatMap((dialect) => fieldsOf(dialect, operation)[column] ?? []);
      names.set(column, [...(names.get(column) ?? []), column, ...fields, ...(ALIASES[column] ?? [])]);
    }
  }
  return names;
}

function fieldsOf(dialect: Dialect, operation: Operation): { readonly [C in SpecColumn]?: string } {
  const { own } = factsOf(operation);
  if (own === undefined) return REQUEST_FIELDS[dialect][operation as BuiltInOperation] ?? {};
  return Object.fromEntries(Object.entries(own.columns).map(([column, { field }]) => [column, field]));
}
