import type { BadManifest } from './bad-manifest-cases.ts';

/** Manifests of voices that must be refused, and why. */
export const BAD_SAMPLES: readonly BadManifest[] = [
  {
    what: 'samples that are missing, or links',
    content: 'name,samples\nAnna,none.wav\nBen,https://a.example/b.wav\nCarl,a.wav||b.wav\n',
    problems: [
      [2, 'samples', 'bad-sample'],
      [3, 'samples', 'bad-path'],
      [4, 'samples', 'bad-path'],
    ],
  },
  {
    what: 'a visibility that the API does not know',
    content: 'name,samples,visibility\nAnna,a.wav,friends\n',
    problems: [[2, 'visibility', 'unknown-word']],
  },
];
