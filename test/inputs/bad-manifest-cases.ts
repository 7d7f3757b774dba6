import type { ManifestOptions } from '../../inputs/manifest-options.ts';

/** What is wrong with a manifest; its content; line, column if it is of one, and code of every problem, in order. */
export type BadManifest = readonly [
  what: string,
  content: string | Buffer,
  problems: string,
  options?: Partial<ManifestOptions>,
];

const GOOD = 'text,voice\nHello,v1\n';
const MB = 1024 * 1024;
const JOIN = { join: { column: 'chapter', pause: 0 } };
const NAMED = { map: { text: 'script' } };
const IN_FOLDERS = { nameTemplate: '{folder}/{id}.{ext}' };
const STRICT = { strict: true };
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

const TABLES: readonly BadManifest[] = [
  ['an empty file', '', '1 empty-file'],
  ['blank lines only', '\n\r\n\n', '1 empty-file'],
  ['a BOM only', '\uFEFF', '1 empty-file'],
  ['a header only', 'text,voice\n', '1 no-rows'],
  ['no header', 'Hello there,v1\nBye,v1\n', '1 no-header'],
  ['an empty column name', 'text,,voice\na,b,c\n', '1 #2 empty-column-name'],
  ['one column twice', 'text,voice,text\na,b,c\n', '1 text duplicate-column'],
  ['one column twice after trimming', 'text, text ,voice\na,b,c\n', '1 text duplicate-column'],
  ['one column twice by --map', 'text,script,voice\na,b,c\n', '1 script duplicate-column', NAMED],
  ['--map to a header that is not there', 'words,voice\na,b\n', '1 script bad-map', NAMED],
  ['--map of a name that we do not know', GOOD, '1 txt bad-map', { map: { txt: 'text' } }],
  ['an unknown column under --strict', 'text,voice,langage\na,b,c\n', '1 langage unknown-column', STRICT],
  ['a field of ours', 'text,voice,api.text\na,b,c\n', '2 api.text own-field'],
  ['a cell that its kind does not read', 'kind,audio,text\nstt,https://a/1.mp3,a\n', '2 text unread-column', STRICT],
  ['a verification that is neither true nor a share', 'text,voice,verify\na,b,yes\na,b,0.3\n', '2 verify bad-number'],
  [
    'too many columns',
    `text,voice,${Array.from({ length: 1000 }, (_, at) => `c${at}`).join()}\n`,
    '1 too-many-columns',
  ],
  ['too few cells', 'id,text,voice\n1,a,v\n2,b\n', '3 voice too-few-cells'],
  ['too many cells', 'text,voice\na,v\nb,v,x,y\n', '3 #3 too-many-cells'],
  ['a quote never closed', 'text,voice\na,v\n"b,v\nc,v\n', '3 text broken-quote'],
  ['text after a closing quote', 'text,voice\n"a\nb"c,v\n', '2 text broken-quote'],
  ['a quote inside a plain cell', 'voice,text\nv,say "hi"\n', '2 text broken-quote'],
  ['an open quote that meets the next one', 'text,voice\n"a,v\nb,v\n"c",v\n', '2 text broken-quote'],
  ['Latin-1', Buffer.from('text,voice\nok,v\nGr\xfc\xdfe,v\n', 'latin1'), '3 encoding'],
  ['a cut character at the end', Buffer.from([0x61, 0x2c, 0x62, 0x0a, 0xe4, 0xbd]), '1 no-header; 2 encoding'],
  ['UTF-16 with a BOM', Buffer.from('\uFEFFtext,voice\na,b\n', 'utf16le'), '1 encoding'],
  ['UTF-16 without a BOM', Buffer.from('text,voice\na,b\n', 'utf16le'), '1 nul'],
  ['a NUL', 'text,voice\r\na,v\r\nb\0,v\r\n', '3 nul'],
  ['a cell over 1 MB', `text,voice\n${'x'.repeat(MB + 1)},v\n`, '2 text cell-too-long'],
  ['a cell over 1 MB in bytes', `text,voice\n${'字'.repeat(MB / 3 + 1)},v\n`, '2 text cell-too-long'],
  ['a field of 10 MB', `text,voice\n${'x'.repeat(10 * MB + 10)},v\n`, '2 text record-too-long'],
  ['an unknown kind', 'kind,text,voice\ntss,a,v\n', '2 kind unknown-kind'],
  ['an ambiguous kind', 'text,voice,audio\na,v,https://a.example/1.mp3\n', '2 kind no-kind'],
  ['no kind at all', 'voice,duration\nv,3\n', '1 kind no-kind'],
  ['a missing voice', 'id,text,voice\na,Hello,v\nb,Bye,\n', '3 voice missing-cell'],
  [
    'a name that the cast lacks',
    'text,speaker\na,Lim\n',
    '2 speaker unknown-speaker',
    { cast: { from: 'cast.csv', members: [{ name: 'Lin', values: { voice: 'v' } }] } },
  ],
  ['no voice column', 'text\nHello\n', '1 voice missing-column'],
  ['text of white space only', 'text,voice\n" \t ",v\n', '2 text missing-cell'],
  ['a dub without its video', 'text,voice,video\na,v,\n', '2 video missing-cell'],
  ['a mapped column without a cell', 'script,voice\n,v\n', '2 script missing-cell', NAMED],
  ['a speed out of range', 'text,voice,speed\na,v,2.5\nb,v,0.5\n', '2 speed bad-number'],
  ['a speed with a decimal comma between commas', 'text,voice,speed\na,v,"0,8"\n', '2 speed bad-number'],
  ['a duration that is none', 'audio,duration\nhttps://a.example/1.mp3,1:30\n', '2 duration bad-number'],
  ['a duration of zero', 'audio,duration\nhttps://a.example/1.mp3,0\n', '2 duration bad-number'],
  ['a local file', 'audio\nvoices/1.mp3\n', '2 audio local-file'],
  ['a local file on Windows', 'audio\nC:\\voices\\1.mp3\n', '2 audio local-file'],
  ['a file: URL', 'audio\nfile:///etc/passwd\n', '2 audio bad-url'],
  ['a javascript: URL', 'audio\njavascript:alert(1)\n', '2 audio bad-url'],
  ['a data: URL', 'audio\n"data:audio/mpeg;base64,AAAA"\n', '2 audio bad-url'],
  ['a URL without a host', 'audio\nhttps:///1.mp3\n', '2 audio bad-url'],
  ['a URL with a space', 'audio\nhttps://a.example/my voice.mp3\n', '2 audio bad-url'],
  ['an id given twice', 'id,text,voice\na,x,v\nb,x,v\na,y,v\n', '4 id duplicate-id'],
  ['an id that climbs', 'id,text,voice\n../a,x,v\n', '2 id bad-id'],
  ['an id that is absolute', 'id,text,voice\n/etc/a,x,v\n', '2 id bad-id'],
  ['an id that climbs further down', 'id,text,voice\na\\..\\..\\b,x,v\n', '2 id bad-id'],
  ['an id that names a drive', 'id,text,voice\nC:\\a,x,v\n', '2 id bad-id'],
  ['an id with a control character', 'id,text,voice\na\x07b,x,v\n', '2 id bad-id'],
  ['an id of two dots', 'id,text,voice\n..,x,v\n', '2 id bad-id'],
  ['an id that is too long', `id,text,voice\n${'a'.repeat(201)},x,v\n`, '2 id bad-id'],
  ['ids that differ in letter case only', 'id,text,voice\nA,x,v\na,y,v\n', '3 id duplicate-id'],
  [
    'a path in name',
    'id,name,text,voice\n1,../up,x,v\n2,/abs,x,v\n3,fine,x,v\n',
    '2 name bad-name; 3 name bad-name',
    { nameTemplate: '{name}.{ext}' },
  ],
  ['a path in name that no template uses', 'name,text,voice\n../up,x,v\n', '2 name bad-name'],
  ['an empty part of a name', 'folder,text,voice\n,x,v\n', '2 folder bad-name', IN_FOLDERS],
  [
    'a name in the folder of unfit results',
    'folder,text,voice\nUnfit,x,v\nunfitting,x,v\n',
    '2 folder bad-name',
    IN_FOLDERS,
  ],
  [
    'one name for two rows',
    'take,text,voice\nOne,x,v\none,y,v\n',
    '3 take duplicate-name',
    { nameTemplate: '{take}.{ext}' },
  ],
  ['a template without {ext}', GOOD, '1 bad-template', { nameTemplate: '{id}.mp3' }],
  ['a template with an unknown field', GOOD, '1 bad-template', { nameTemplate: '{idd}.{ext}' }],
  ['a template with a stray brace', GOOD, '1 bad-template', { nameTemplate: '{id.{ext}' }],
  ['rows of two batches in an outcome file', 'text,voice,_batch\na,v,one\nb,v,two\n', '3 _batch mixed-batches'],
];

const SAMPLES: readonly BadManifest[] = [
  [
    'samples that are missing, or links',
    'name,samples\nAnna,none.wav\nBen,https://a.example/b.wav\nCarl,a.wav||b.wav\n',
    '2 samples bad-sample; 3 samples bad-path; 4 samples bad-path',
  ],
  ['an unknown visibility', 'name,samples,visibility\nAnna,a.wav,friends\n', '2 visibility unknown-word'],
];

const JOINS: readonly BadManifest[] = [
  ['no column to join by', GOOD, '1 chapter bad-join', JOIN],
  [
    'chapters that would be one file, ignoring case',
    'text,voice,chapter\na,v,One\nb,v,one\nc,v,One\nd,v,\ne,v,One/1\nf,v,One?1\n',
    '3 chapter duplicate-name',
    JOIN,
  ],
  [
    'a row to join that makes no speech, and pauses that are none',
    'kind,text,voice,audio,chapter,pause\nstt,,,https://m/a.mp3,1,\ntts,x,v,,1,soon\ntts,x,v,,1,601\ntts,x,v,,,soon\n',
    '2 chapter bad-join; 3 pause bad-number; 4 pause bad-number',
    JOIN,
  ],
  [
    'a name in the folder of joined files',
    'folder,text,voice\nJoined,x,v\n',
    '2 bad-name',
    { ...IN_FOLDERS, join: { column: 'folder', pause: 0 } },
  ],
];

/** JSON lines, and JSON in a cell. */
const JSONS: readonly BadManifest[] = [
  ['broken JSON', '{"text":"a","voice":"v"}\n{"text":\n', '2 bad-json'],
  ['JSON that is no object', '{"text":"a","voice":"v"}\n\n["a"]\n', '3 not-an-object'],
  ['a nested value', '{"text":{"en":"a"},"voice":"v"}\n', '1 text nested-value'],
  ['a key twice', '{"text":"a","voice":"v","text":"b"}\n', '1 text duplicate-key'],
  ['a value nested too deep', `{"api.x":${nested(50_000)}}\n{"_x":${nested(100)}}\n`, '1 too-deep; 2 too-deep'],
  ['a value nested too deep in a cell', `text,voice,api.x\na,v,${nested(50_000)}\n`, '2 api.x too-deep'],
  ['a text of megabytes', `{"text":"${'a'.repeat(9 * MB)}","voice":"v"}\n`, '1 text cell-too-long'],
  ['half of a surrogate pair', '{"text":"\\ud83d","voice":"v"}\n', '1 text bad-text'],
  ['an escaped NUL', '{"text":"a\\u0000","voice":"v"}\n', '1 text nul'],
  ['a JSON line over 10 MB', `{"text":"${'x'.repeat(11 * MB)}"}`, '1 record-too-long'],
  ['--map to a key that no line has', '{"text":"a","voice":"v"}\n', '1 model bad-map', { map: { engine: 'model' } }],
  [
    'an unknown key',
    '{"text":"a","voice":"v"}\n{"text":"a","voice":"v","spped":1}\n',
    '2 spped unknown-column',
    STRICT,
  ],
  [
    'ids as JSON keys',
    Array.from({ length: 2000 }, (_, at) => `{"row ${at}":"text"}\n`).join(''),
    Array.from({ length: 1000 }, (_, at) => `${at + 1} text missing-cell`).join('; '),
    { kind: 'tts', defaults: { voice: 'v' } },
  ],
];

/** A case per way to get a manifest wrong. */
export const BAD_MANIFESTS: readonly BadManifest[] = [...TABLES, ...SAMPLES, ...JOINS, ...JSONS];
