import type { BadManifest } from './bad-manifest-cases.ts';

const GOOD = 'text,voice\nHello,v1\n';

/** Ways to get a manifest wrong whose rows are joined. */
export const BAD_JOINS: readonly BadManifest[] = [
  {
    what: 'no column to join by',
    content: GOOD,
    options: { join: { column: 'chapter', pause: 0 } },
    problems: [[1, 'chapter', 'bad-join']],
  },
  {
    what: 'chapters that would be one file, ignoring case',
    content: 'text,voice,chapter\na,v,One\nb,v,one\nc,v,One\nd,v,\ne,v,One/1\nf,v,One?1\n',
    options: { join: { column: 'chapter', pause: 0 } },
    problems: [[3, 'chapter', 'duplicate-name']],
  },
  {
    what: 'a row to join that makes no speech, and pauses that are none',
    content:
      'kind,text,voice,audio,chapter,pause\nstt,,,https://m.example/a.mp3,1,\ntts,x,v,,1,soon\ntts,x,v,,1,601\ntts,x,v,,,soon\n',
    options: { join: { column: 'chapter', pause: 0 } },
    problems: [
      [2, 'chapter', 'bad-join'],
      [3, 'pause', 'bad-number'],
      [4, 'pause', 'bad-number'],
    ],
  },
  {
    what: 'a name in the folder of joined files',
    content: 'folder,text,voice\nJoined,x,v\n',
    options: { nameTemplate: '{folder}/{id}.{ext}', join: { column: 'folder', pause: 0 } },
    problems: [[2, '', 'bad-name']],
  },
];
