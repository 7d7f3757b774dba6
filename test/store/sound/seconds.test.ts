import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { FileWindow } from '../../../store/containers/file-window.ts';
import { checkMedia, mediaSeconds } from '../../../store/inspect.ts';
import { ffmpeg } from '../../support/ffmpeg.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

const folder = folderForEach();

/** Files as encoders in use write them, also to a pipe, where no length can be filled in. */
it.each([
  ['mp3', 'mp3', ['-b:a', '64k']],
  ['mp3 of a variable rate, without a header that counts', 'mp3', ['-q:a', '5', '-write_xing', '0']],
  ['mp3 of a low rate', 'mp3', ['-ar', '11025', '-b:a', '16k']],
  ['wav', 'wav', []],
  ['wav of a telephone', 'wav', ['-c:a', 'pcm_mulaw', '-ar', '8000']],
  ['wav of ADPCM', 'wav', ['-c:a', 'adpcm_ima_wav']],
  ['opus', 'ogg', ['-c:a', 'libopus', '-f', 'ogg']],
  ['vorbis', 'ogg', ['-c:a', 'libvorbis']],
  ['flac', 'flac', []],
  ['m4a', 'm4a', []],
  ['m4a with its index in front', 'm4a', ['-movflags', '+faststart']],
  ['aac', 'aac', []],
  ['mp4', 'mp4', []],
  ['mp4 in fragments, as streams are', 'mp4', ['-movflags', 'frag_keyframe+empty_moov']],
  ['webm', 'webm', ['-c:a', 'libopus']],
  ['webm without a length, as browsers record', 'webm', ['-c:a', 'libopus', '-live', '1']],
])('the seconds of %s are told without ffmpeg', async (name, extension, args) => {
  const path = folder(`${name}.${extension}`);
  await ffmpeg('-f', 'lavfi', '-i', 'sine=440:d=2.5:r=24000', ...args, path);
  // MP3, AAC and ADPCM consist of whole blocks: up to 0.16 s are added.
  const seconds = await mediaSeconds(path, extension);
  expect(seconds).toBeGreaterThan(2.49);
  expect(seconds).toBeLessThan(2.67);
});

it('the seconds of FLAC are those that it states, whatever its frames look like', async () => {
  const path = folder('tone.flac');
  // The start of a frame seems to be within its last one.
  const sound = "aevalsrc='0.5*(0.01*sin(9000*t)*lt(t\\,0.25)+sin(1900*t)*between(t\\,0.25\\,1.05))':d=1.12:s=24000";
  await ffmpeg('-f', 'lavfi', '-i', sound, path);
  expect(await mediaSeconds(path, 'flac')).toBe(1.12);
});

it('the seconds of Ogg in another coding are not told, and nothing is wrong with it', async () => {
  const path = folder('tone.ogg');
  await ffmpeg('-f', 'lavfi', '-i', 'sine=440:d=1:r=16000', '-c:a', 'libspeex', path);
  const body = FileWindow.ofBody(await readFile(path));
  expect(await checkMedia(body, 'ogg', 'audio')).toEqual({});
});
