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

/** What requests call the columns: the fields that voxbatch sets itself, in each dialect. Bodies are built from this. */

/** The field of each column that an operation reads; that of files is the part of a form. null: the dialect has none such. */
type RequestFields<D extends Dialect> = {
  readonly [O in BuiltInOperation]: O extends OperationIn<D> ? Readonly<Record<ColumnsOf<O>, string>> : null;
};

/** Both ways of speaking. */
const SPEECH = {
  text: 'text',
  voice: 'voiceId',
  engine: 'engineModelId',
  format: 'format',
  speed: 'speed',
  language: 'language',
} as const;

const VOICE = {
  name: 'name',
  description: 'description',
  visibility: 'visibility',
  transcript: 'referenceText',
  language: 'languages',
  samples: 'audioFiles',
} as const;

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
    // `version` is the older name for what speaks; its values are others, and an unknown one is refused free of charge.
    'speech-sync': { ...SPEECH, voice: 'reference_id', engine: 'version' },
    transcription: null,
    'lip-sync-job': { video: 'video_url', audio: 'audio_url' },
    'video-dubbing-job': null,
    voice: VOICE,
  },
};

/** Further names by which the API knows a field, as its own material and other clients have it. */
const ALIASES: { readonly [C in SpecColumn]?: readonly string[] } = { voice: ['modelId'], engine: ['modelId'] };

/** The names of what requests for rows of a kind say of each column, in any dialect: their fields, and the column's own. */
export function fieldNamesOf(kind: Kind): ReadonlyMap<SpecColumn, readonly string[]> {
  const names = new Map<SpecColumn, string[]>();
  const operations = kindFactsOf(kind).steps.flatMap(({ operation, atOnce = operation }) => [operation, atOnce]);
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
