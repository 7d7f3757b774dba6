/** @slow */
import { expect, it } from '@jest/globals';
import { pathToFileURL } from 'node:url';
import { startSampleReader } from '../../../inputs/voices/inspect-sample.ts';
import { compiledOf } from '../../compiled.mjs';
import { hungryM4a, wav } from '../../store/media.ts';

it('a recording that hangs who reads it is no sample, and those beside it are read', async () => {
  const reader = startSampleReader(pathToFileURL(compiledOf('test/inputs/hanging-thread.ts')), 40);
  try {
    const paths = ['/1.wav', '/hanging.wav', '/2.wav'];
    const [first, hanging, second] = await Promise.all(paths.map((path) => reader.read(path, wav(1))));
    expect(hanging).toEqual({ why: 'a file that could not be read in 30 s' });
    expect([first, second]).toMatchObject([
      { path: '/1.wav', extension: 'wav', seconds: 1 },
      { path: '/2.wav', extension: 'wav', seconds: 1 },
    ]);
  } finally {
    await reader.close();
  }
});

it('the thread that comes with the program reads them, too', async () => {
  const reader = startSampleReader(pathToFileURL(compiledOf('inputs/media-thread.ts')));
  try {
    expect(await reader.read('/1.wav', wav(1))).toMatchObject({ extension: 'wav', seconds: 1 });
    expect(await reader.read('/odd.m4a', await hungryM4a())).toMatchObject({ extension: 'm4a' });
  } finally {
    await reader.close();
  }
});
