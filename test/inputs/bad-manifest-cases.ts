import type { ManifestOptions } from '../../inputs/manifest-options.ts';
import type { ProblemCode } from '../../contract/manifest-problems.ts';

/** A manifest that must be refused, and why. */
export interface BadManifest {
  readonly what: string;
  readonly content: string | Buffer;
  readonly options?: Partial<ManifestOptions>;
  readonly file?: string;
  /** line, column, code of every problem, in order */
  readonly problems: readonly (readonly [number, string, ProblemCode])[];
}

const GOOD = 'text,voice\nHello,v1\n';
const MB = 1024 * 1024;

/** A case per way to get a manifest wrong. */
export const BAD_MANIFESTS: readonly BadManifest[] = [
  { what: 'an empty file', content: '', problems: [[1, '', 'empty-file']] },
  { what: 'blank lines only', content: '\n\r\n\n', problems: [[1, '', 'empty-file']] },
  { what: 'a BOM only', content: '\uFEFF', problems: [[1, '', 'empty-file']] },
  { what: 'a header only', content: 'text,voice\n', problems: [[1, '', 'no-rows']] },
  { what: 'no header', content: 'Hello there,v1\nBye,v1\n', problems: [[1, '', 'no-header']] },
  { what: 'an empty column name', content: 'text,,voice\na,b,c\n', problems: [[1, '#2', 'empty-column-name']] },
  { what: 'one column twice', content: 'text,voice,text\na,b,c\n', problems: [[1, 'text', 'duplicate-column']] },
  {
    what: 'one column twice after trimming',
    content: 'text, text ,voice\na,b,c\n',
    problems: [[1, 'text', 'duplicate-column']],
  },
  {
    what: 'one column twice by --map',
    content: 'text,script,voice\na,b,c\n',
    options: { map: { text: 'script' } },
    problems: [[1, 'script', 'duplicate-column']],
  },
  {
    what: '--map to a header that is not there',
    content: 'words,voice\na,b\n',
    options: { map: { text: 'script' } },
    problems: [[1, 'script', 'bad-map']],
  },
  {
    what: '--map of a name that we do not know',
    content: GOOD,
    options: { map: { txt: 'text' } },
    problems: [[1, 'txt', 'bad-map']],
  },
  {
    what: 'an unknown column under --strict',
    content: 'text,voice,langage\na,b,c\n',
    options: { strict: true },
    problems: [[1, 'langage', 'unknown-column']],
  },
  { what: 'a field of ours', content: 'text,voice,api.text\na,b,c\n', problems: [[2, 'api.text', 'own-field']] },
  {
    what: 'a cell that its kind does not read, under --strict',
    content: 'kind,audio,text\nstt,https://a.example/1.mp3,words\n',
    options: { strict: true },
    problems: [[2, 'text', 'unread-column']],
  },
  {
    what: 'a verification that is neither true nor a share',
    content: 'text,voice,verify\na,b,yes\na,b,0.3\n',
    problems: [[2, 'verify', 'bad-number']],
  },
  {
    what: 'too many columns',
    content: `text,voice,${Array.from({ length: 1000 }, (_, at) => `c${at}`).join(',')}\na,v\n`,
    problems: [[1, '', 'too-many-columns']],
  },
  {
    what: 'ids as JSON keys',
    content: Array.from({ length: 2000 }, (_, at) => `{"row ${at}":"text"}\n`).join(''),
    file: 'a.jsonl',
    options: { kind: 'tts', defaults: { voice: 'v' } },
    problems: [...Array.from({ length: 1000 }, (_, at) => [at + 1, 'text', 'missing-cell'] as const)],
  },
  { what: 'too few cells', content: 'id,text,voice\n1,a,v\n2,b\n', problems: [[3, 'voice', 'too-few-cells']] },
  { what: 'too many cells', content: 'text,voice\na,v\nb,v,x,y\n', problems: [[3, '#3', 'too-many-cells']] },
  { what: 'a quote never closed', content: 'text,voice\na,v\n"b,v\nc,v\n', problems: [[3, 'text', 'broken-quote']] },
  { what: 'text after a closing quote', content: 'text,voice\n"a\nb"c,v\n', problems: [[2, 'text', 'broken-quote']] },
  { what: 'a quote inside a plain cell', content: 'voice,text\nv,say "hi"\n', problems: [[2, 'text', 'broken-quote']] },
  {
    what: 'an open quote that meets the next one',
    content: 'text,voice\n"a,v\nb,v\n"c",v\n',
    problems: [[2, 'text', 'broken-quote']],
  },
  {
    what: 'Latin-1',
    content: Buffer.from('text,voice\nok,v\nGr\xfc\xdfe,v\n', 'latin1'),
    problems: [[3, '', 'encoding']],
  },
  {
    what: 'a cut character at the end',
    content: Buffer.from([0x61, 0x2c, 0x62, 0x0a, 0xe4, 0xbd]),
    problems: [
      [1, '', 'no-header'],
      [2, '', 'encoding'],
    ],
  },
  {
    what: 'UTF-16 with a BOM',
    content: Buffer.from('\uFEFFtext,voice\na,b\n', 'utf16le'),
    problems: [[1, '', 'encoding']],
  },
  { what: 'UTF-16 without a BOM', content: Buffer.from('text,voice\na,b\n', 'utf16le'), problems: [[1, '', 'nul']] },
  { what: 'a NUL', content: 'text,voice\r\na,v\r\nb\0,v\r\n', problems: [[3, '', 'nul']] },
  {
    what: 'a cell over 1 MB',
    content: `text,voice\n${'x'.repeat(MB + 1)},v\n`,
    problems: [[2, 'text', 'cell-too-long']],
  },
  {
    what: 'a cell over 1 MB in bytes',
    content: `text,voice\n${'字'.repeat(MB / 3 + 1)},v\n`,
    problems: [[2, 'text', 'cell-too-long']],
  },
  {
    what: 'a field of 10 MB',
    content: `text,voice\n${'x'.repeat(10 * MB + 10)},v\n`,
    problems: [[2, 'text', 'record-too-long']],
  },
  { what: 'an unknown kind', content: 'kind,text,voice\ntss,a,v\n', problems: [[2, 'kind', 'unknown-kind']] },
  {
    what: 'an ambiguous kind',
    content: 'text,voice,audio\na,v,https://a.example/1.mp3\n',
    problems: [[2, 'kind', 'no-kind']],
  },
  { what: 'no kind at all', content: 'voice,duration\nv,3\n', problems: [[2, 'kind', 'no-kind']] },
  { what: 'a missing voice', content: 'id,text,voice\na,Hello,v\nb,Bye,\n', problems: [[3, 'voice', 'missing-cell']] },
  { what: 'no voice column', content: 'text\nHello\n', problems: [[2, 'voice', 'missing-cell']] },
  { what: 'text of white space only', content: 'text,voice\n" \t ",v\n', problems: [[2, 'text', 'missing-cell']] },
  { what: 'a dub without its video', content: 'text,voice,video\na,v,\n', problems: [[2, 'video', 'missing-cell']] },
  {
    what: 'a mapped column without a cell',
    content: 'script,voice\n,v\n',
    options: { map: { text: 'script' } },
    problems: [[2, 'script', 'missing-cell']],
  },
  {
    what: 'a speed out of range',
    content: 'text,voice,speed\na,v,2.5\nb,v,0.5\n',
    problems: [[2, 'speed', 'bad-number']],
  },
  {
    what: 'a speed with a decimal comma',
    content: 'text;voice;speed\na;v;0,8\n',
    problems: [[2, 'speed', 'bad-number']],
  },
  {
    what: 'a duration that is none',
    content: 'audio,duration\nhttps://a.example/1.mp3,1:30\n',
    problems: [[2, 'duration', 'bad-number']],
  },
  {
    what: 'a duration of zero',
    content: 'audio,duration\nhttps://a.example/1.mp3,0\n',
    problems: [[2, 'duration', 'bad-number']],
  },
  { what: 'a local file', content: 'audio\nvoices/1.mp3\n', problems: [[2, 'audio', 'local-file']] },
  { what: 'a local file on Windows', content: 'audio\nC:\\voices\\1.mp3\n', problems: [[2, 'audio', 'local-file']] },
  { what: 'a file: URL', content: 'audio\nfile:///etc/passwd\n', problems: [[2, 'audio', 'bad-url']] },
  { what: 'a javascript: URL', content: 'audio\njavascript:alert(1)\n', problems: [[2, 'audio', 'bad-url']] },
  { what: 'a data: URL', content: 'audio\n"data:audio/mpeg;base64,AAAA"\n', problems: [[2, 'audio', 'bad-url']] },
  { what: 'a URL without a host', content: 'audio\nhttps:///1.mp3\n', problems: [[2, 'audio', 'bad-url']] },
  {
    what: 'a URL with a space',
    content: 'audio\nhttps://a.example/my voice.mp3\n',
    problems: [[2, 'audio', 'bad-url']],
  },
  { what: 'an id given twice', content: 'id,text,voice\na,x,v\nb,x,v\na,y,v\n', problems: [[4, 'id', 'duplicate-id']] },
  { what: 'an id that climbs', content: 'id,text,voice\n../a,x,v\n', problems: [[2, 'id', 'bad-id']] },
  { what: 'an id that is absolute', content: 'id,text,voice\n/etc/a,x,v\n', problems: [[2, 'id', 'bad-id']] },
  {
    what: 'an id that climbs further down',
    content: 'id,text,voice\na\\..\\..\\b,x,v\n',
    problems: [[2, 'id', 'bad-id']],
  },
  { what: 'an id that names a drive', content: 'id,text,voice\nC:\\a,x,v\n', problems: [[2, 'id', 'bad-id']] },
  { what: 'an id with a control character', content: 'id,text,voice\na\x07b,x,v\n', problems: [[2, 'id', 'bad-id']] },
  { what: 'an id of two dots', content: 'id,text,voice\n..,x,v\n', problems: [[2, 'id', 'bad-id']] },
  {
    what: 'an id that is too long',
    content: `id,text,voice\n${'a'.repeat(201)},x,v\n`,
    problems: [[2, 'id', 'bad-id']],
  },
  {
    what: 'ids that differ in letter case only',
    content: 'id,text,voice\nA,x,v\na,y,v\n',
    problems: [[3, 'id', 'duplicate-id']],
  },
  {
    what: 'a path in name',
    content: 'id,name,text,voice\n1,../up,x,v\n2,/abs,x,v\n3,fine,x,v\n',
    options: { nameTemplate: '{name}.{ext}' },
    problems: [
      [2, 'name', 'bad-name'],
      [3, 'name', 'bad-name'],
    ],
  },
  {
    what: 'a path in name that no template uses',
    content: 'name,text,voice\n../up,x,v\n',
    problems: [[2, 'name', 'bad-name']],
  },
  {
    what: 'an empty part of a name',
    content: 'folder,text,voice\n,x,v\n',
    options: { nameTemplate: '{folder}/{id}.{ext}' },
    problems: [[2, 'folder', 'bad-name']],
  },
  {
    what: 'a name in the folder of results that did not pass a check',
    content: 'folder,text,voice\nUnfit,x,v\nunfitting,x,v\n',
    options: { nameTemplate: '{folder}/{id}.{ext}' },
    problems: [[2, 'folder', 'bad-name']],
  },
  {
    what: 'one output name for two rows',
    content: 'take,text,voice\nOne,x,v\none,y,v\n',
    options: { nameTemplate: '{take}.{ext}' },
    problems: [[3, 'take', 'duplicate-name']],
  },
  {
    what: 'a template without {ext}',
    content: GOOD,
    options: { nameTemplate: '{id}.mp3' },
    problems: [[1, '', 'bad-template']],
  },
  {
    what: 'a template with an unknown field',
    content: GOOD,
    options: { nameTemplate: '{idd}.{ext}' },
    problems: [[1, '', 'bad-template']],
  },
  {
    what: 'a template with a stray brace',
    content: GOOD,
    options: { nameTemplate: '{id.{ext}' },
    problems: [[1, '', 'bad-template']],
  },
  {
    what: 'rows of two batches in an outcome file',
    content: 'text,voice,_batch,_outcome\na,v,one,failed\nb,v,two,failed\n',
    problems: [[3, '_batch', 'mixed-batches']],
  },
];
