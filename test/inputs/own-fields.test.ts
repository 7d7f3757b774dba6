import { clientIn } from '../../api/dialects/dialect-table.ts';
import { describe, expect, it } from '@jest/globals';
import { DIALECT_TABLES } from '../../api/dialects/dialects.ts';
import type { OperationClient } from '../../api/operations/operation-client.ts';
import { DIALECTS } from '../../contract/dialects.ts';
import {
  COLUMN_CELLS,
  kindFactsOf,
  KINDS,
  factsOf,
  columnsOfKind,
  type Kind,
  type Operation,
  type RowSpec,
  type SpecColumn,
} from '../../contract/row-kinds.ts';
import { check, load, problemsIn } from './manifest-file.ts';

/** The fields that a client of the API sets by itself, as its own request bodies show. */
function sentBy(operation: Operation, client: OperationClient): readonly string[] {
  const { needs, takes } = factsOf(operation);
  const cells = [...needs, ...takes].map((column) => [column, COLUMN_CELLS[column] === 'number' ? 1 : 'something']);
  const spec = { kind: 'tts', ...Object.fromEntries(cells), extra: {} } as RowSpec;
  const body = client.body({ operation, spec, idempotencyKey: 'key', isRepeat: false, trust503: false });
  return [...Object.keys(body), ...(client.upload === undefined ? [] : [client.upload.part])];
}

/** Each field that some request for rows of a kind sets, in any dialect. */
const OWN = KINDS.flatMap((kind) => {
  const operations = kindFactsOf(kind).steps.flatMap(({ operation, syncOperation = operation }) => [
    operation,
    syncOperation,
  ]);
  const fields = DIALECTS.flatMap((dialect) =>
    operations.flatMap((operation) => {
      const client: OperationClient | null = clientIn(DIALECT_TABLES[dialect], operation);
      return client === null ? [] : sentBy(operation, client);
    }),
  );
  return [...new Set(fields)].map((field) => [kind, field] as const);
});

const CELLS: { readonly [C in SpecColumn]?: string } = {
  text: 'Hello',
  voice: 'ada',
  audio: 'https://media.example/a.mp3',
  video: 'https://media.example/a.mp4',
  name: 'Ada',
  samples: 'no-such-file.wav',
};

/** A manifest with a row of a kind, and something in these `api.` columns. */
function withFields(kind: Kind, fields: readonly string[]): string {
  const cells = columnsOfKind(kind).required.map((column) => [column, CELLS[column]]);
  const api = fields.map((field) => [`api.${field}`, 'other']);
  return `${JSON.stringify({ id: 'a', kind, ...Object.fromEntries([...cells, ...api]) })}\n`;
}

/** Other ways to write a field that an API may take for it. */
function spellingsOf(field: string): readonly string[] {
  const snake = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const camel = field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const both = [field, snake, camel, snake.replaceAll('_', '-'), field.toUpperCase(), camel.toLowerCase()];
  return [...new Set([...both, ` ${field} `, `${field}[]`, `${field}[0]`, `${field}.plain`, `[${field}]`])];
}

const refusedIn = async (kind: Kind, fields: readonly string[]): Promise<readonly string[]> => {
  const { problems } = await check(withFields(kind, fields), {}, 'lines.jsonl');
  const own = problems.filter(({ code }) => code === 'own-field');
  for (const { line, id } of own) expect({ line, id }).toEqual({ line: 1, id: 'a' });
  return own.map(({ column }) => column);
};

describe('an api. cell for a field that the request of its row sets itself', () => {
  it('is there for every kind, and in both dialects', () => {
    expect(new Set(OWN.map(([kind]) => kind))).toEqual(new Set(KINDS));
    const fields = OWN.map(([, field]) => field);
    expect(fields).toEqual(expect.arrayContaining(['text', 'voiceId', 'reference_id', 'version', 'audioFiles']));
  });

  it.each(OWN)('of %s rows is refused, however it is written: %s', async (kind, field) => {
    const spellings = spellingsOf(field);
    const columns = spellings.map((one) => `api.${one}`.trim());
    expect(new Set(await refusedIn(kind, spellings))).toEqual(new Set(columns));
  });

  it('is refused by the name of its column, and by the alias that other clients use', async () => {
    const fields = ['voice', 'engine', 'modelId', 'model_id'];
    expect(await refusedIn('tts', fields)).toEqual(fields.map((field) => `api.${field}`));
    // With `verify` it would replace the recording that is transcribed.
    expect(await refusedIn('dub', ['audio', 'audio_url'])).toEqual(['api.audio', 'api.audio_url']);
  });

  it('is listed for each row with something in it, with what to use instead, under another header too', async () => {
    const content = 'id,script,voice,api.text,api.mood\na,Hi,v,Long,calm\nb,Hi,v,,\nc,Hi,v,Long,\n';
    const { problems } = await check(content, { map: { text: 'script' } });
    expect(problems.map(({ line, id, code }) => `${line} ${id} ${code}`)).toEqual([
      ...['2 a own-field', '4 c own-field'],
    ]);
    expect(problems[0]?.expected).toContain('voxbatch fills this field of tts requests itself from the column script');
    const map = { 'api.text': 'words' };
    expect(await problemsIn('text,voice,words\nHi,v,Long\n', { map })).toEqual(['2 words own-field']);
  });
});

describe('other api. cells', () => {
  it('are sent, also where a request of another kind would set the field', async () => {
    const content = withFields('tts', ['mood', 'textNormalization', 'video_url', 'description', 'voice_settings']);
    const { rows } = await load(content, {}, 'lines.jsonl');
    expect(Object.keys(rows[0]?.spec.extra ?? {})).toHaveLength(5);
  });

  it('may be any in a batch on record', async () => {
    const { rows } = await load('text,voice,api.text\nHi,v,Long\n', { anyApiField: true });
    expect(rows[0]?.spec.extra).toEqual({ text: 'Long' });
  });
});
