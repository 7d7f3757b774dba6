import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  cellOf,
  COLUMN_CELLS,
  columnsReadBy,
  KINDS,
  linkOf,
  columnsOfKind,
  stepsIn,
  type JsonValue,
  type LocalFile,
  type RowSpec,
  type SpecColumn,
  type Step,
} from '../../../contract/row-kinds.ts';
import { mediaUrlsOf, resultKeyOf, type KeyContext, type MediaIdentity } from '../../../policy/cache/result-key.ts';

/** Without `verify`, which goes into no request, but makes a step more: see below. */
const COLUMNS = (Object.keys(COLUMN_CELLS) as SpecColumn[]).filter((column) => column !== 'verify');

/** A digest that hides nothing: equal only for equal texts. */
const CONTEXT = {
  realm: { apiUrl: 'https://api.example/api/open/v1', account: 'user_1' },
  tts: 'job',
  digest: (text: string): string => text,
} as const;

const LINKS = ['https://m.example/a.mp4', 'https://m.example/b.mp4'] as const;
const MEDIA = new Map<string, MediaIdentity>(
  LINKS.map((url, at) => [url, { etag: `"${String(at)}"`, bytes: 10 + at }]),
);

const FILE: LocalFile = { path: '/a.wav', bytes: 9, sha256: 'a', extension: 'wav', seconds: 1 };

const anyCell = (column: SpecColumn): fc.Arbitrary<string | number | readonly LocalFile[]> => {
  switch (cellOf(column)) {
    case 'text':
      return fc.string({ unit: 'grapheme', minLength: 1 });
    case 'name':
      return fc.constantFrom('anna', 'ben', 'mp3');
    case 'link':
      return fc.constantFrom(...LINKS);
    case 'files':
      return fc.constantFrom([FILE], [FILE, { ...FILE, sha256: 'b' }]);
    case 'number':
    case 'threshold':
    case 'seconds':
      return fc.constantFrom(0.5, 1, 2);
  }
};

const anyJson = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;

const anyExtra = fc.dictionary(fc.constantFrom('style', 'seed', 'pitch'), anyJson);

/** A row with every column that it needs, and some of the others. */
const anySpec: fc.Arbitrary<RowSpec> = fc.constantFrom(...KINDS).chain((kind) =>
  fc
    .record(Object.fromEntries(COLUMNS.map((column) => [column, anyCell(column)])), {
      requiredKeys: [...columnsOfKind(kind).required],
    })
    .chain((cells) => anyExtra.map((extra) => ({ ...cells, extra, kind }) as RowSpec)),
);

/** A row and a step of its kind. */
const anyStep = anySpec.chain((spec) =>
  fc.constantFrom(...stepsIn({ kind: spec.kind })).map((step) => ({ spec, step })),
);

function otherCell(column: SpecColumn, letter: string): unknown {
  switch (cellOf(column)) {
    case 'link':
      return LINKS[1];
    case 'files':
      return [{ ...FILE, sha256: letter }];
    default:
      return `${letter} other`;
  }
}

function keyOf(spec: RowSpec, step: Step, other: Partial<KeyContext> = {}): string | undefined {
  return resultKeyOf(spec, step, { ...CONTEXT, media: MEDIA, ...other });
}

/** The columns that shape the result of a step, also through the steps that it is made from. */
function shapedBy({ kind }: RowSpec, step: Step): readonly SpecColumn[] {
  const link = linkOf(kind, step);
  const own = columnsReadBy(kind, step).filter((column) => column !== link?.column);
  return link === undefined ? own : [...own, ...columnsReadBy(kind, link.of)];
}

describe('the key of a result', () => {
  it('is the same for the same request, in whatever order its members come', () => {
    fc.assert(
      fc.property(anyStep, ({ spec, step }) => {
        const { extra, ...cells } = spec;
        const turned = Object.fromEntries(Object.entries(cells).toReversed());
        const turnedExtra = Object.fromEntries(Object.entries(extra).toReversed());
        const again = { ...turned, extra: turnedExtra } as RowSpec;
        expect(keyOf(again, step)).toBe(keyOf(spec, step));
      }),
    );
  });

  it('is another in another dialect of the API, and what it was before there were two', () => {
    fc.assert(
      fc.property(anyStep, ({ spec, step }) => {
        expect(keyOf({ ...spec, dialect: 'v1' }, step)).toBe(keyOf(spec, step));
        expect(keyOf({ ...spec, dialect: 'legacy' }, step)).not.toBe(keyOf(spec, step));
      }),
    );
  });

  it('changes with every column that shapes the result, and with no other', () => {
    fc.assert(
      fc.property(anyStep, fc.constantFrom(...COLUMNS), fc.constantFrom('x', 'y'), ({ spec, step }, column, letter) => {
        const changed = { ...spec, [column]: otherCell(column, letter) };
        const isOther = spec[column] !== changed[column as keyof typeof changed];
        const matters = isOther && shapedBy(spec, step).includes(column);
        expect(keyOf(changed as RowSpec, step) !== keyOf(spec, step)).toBe(matters);
      }),
    );
  });

  it('changes with every field that is sent along, whatever it holds', () => {
    fc.assert(
      fc.property(anyStep, anyJson, ({ spec, step }, value) => {
        const changed = { ...spec, extra: { ...spec.extra, added: value } };
        expect(keyOf(changed, step)).not.toBe(keyOf(spec, step));
      }),
    );
  });

  it('is of one API, account and way of speaking', () => {
    const spec: RowSpec = { kind: 'tts', text: 'Hello', voice: 'anna', extra: {} };
    const keys = [
      keyOf(spec, 'speech'),
      keyOf(spec, 'speech', { realm: { ...CONTEXT.realm, account: 'user_2' } }),
      keyOf(spec, 'speech', { realm: { ...CONTEXT.realm, apiUrl: 'https://api.example/api/open/v2' } }),
      keyOf(spec, 'speech', { realm: { ...CONTEXT.realm, apiUrl: 'https://other.example/api/open/v1' } }),
      keyOf(spec, 'speech', { tts: 'sync' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('takes two ways of writing one character for the same', () => {
    const spec = (text: string): RowSpec => ({ kind: 'tts', text, voice: 'anna', extra: {} });
    expect(keyOf(spec('caf\u00e9'), 'speech')).toBe(keyOf(spec('cafe\u0301'), 'speech'));
  });

  it('of a dub keeps its speech if the video is another, and changes its lip-sync if the text is', () => {
    const dub = (text: string, video: string): RowSpec => ({ kind: 'dub', text, voice: 'anna', video, extra: {} });
    const [one, other, said] = [dub('Hello', LINKS[0]), dub('Hello', LINKS[1]), dub('Bye', LINKS[0])];
    expect(keyOf(other, 'speech')).toBe(keyOf(one, 'speech'));
    expect(keyOf(other, 'lip-sync')).not.toBe(keyOf(one, 'lip-sync'));
    expect(keyOf(said, 'lip-sync')).not.toBe(keyOf(one, 'lip-sync'));
  });

  it('changes with the content behind a URL, and is none where that is not known', () => {
    const spec: RowSpec = { kind: 'stt', audio: LINKS[0], extra: {} };
    const known = (etag: string, bytes: number): KeyContext['media'] => new Map([[LINKS[0], { etag, bytes }]]);
    const keys = [['"a"', 1] as const, ['"b"', 1] as const, ['"a"', 2] as const].map(([etag, bytes]) =>
      keyOf(spec, 'transcription', { media: known(etag, bytes) }),
    );
    expect(new Set(keys).size).toBe(3);
    expect(keyOf(spec, 'transcription', { media: new Map() })).toBeUndefined();
    const dub: RowSpec = { kind: 'dub', text: 'Hello', voice: 'anna', video: LINKS[0], extra: {} };
    expect(keyOf(dub, 'lip-sync', { media: new Map() })).toBeUndefined();
    expect(keyOf(dub, 'speech', { media: new Map() })).toBeDefined();
  });
});

it('the media of a row are the links in its cells', () => {
  expect(mediaUrlsOf({ kind: 'lip-sync', video: LINKS[0], audio: LINKS[1], extra: {} }).toSorted()).toEqual([...LINKS]);
  expect(mediaUrlsOf({ kind: 'tts', text: 'Hello', voice: 'anna', extra: {} })).toEqual([]);
});
