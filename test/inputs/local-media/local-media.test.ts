import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cellOfContent } from '../../../contract/local-media.ts';
import type { ManifestOptions } from '../../../inputs/manifest-options.ts';
import { openManifest } from '../../../inputs/manifest-source.ts';
import { summarizeManifest } from '../../../inputs/read-manifest.ts';
import { renderMedia, sampleOf } from '../../../simulator/media-result.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import { writeSample } from '../../support/samples.ts';
import { loadFile, OPTIONS } from '../manifest-file.ts';

const LINKS: Partial<ManifestOptions> = { localMedia: { type: 'links' } };

/** A manifest in a folder with `face.mp4` (3 s), `voice.wav` (8 s) and a text. */
async function manifestOf(...lines: readonly string[]): Promise<string> {
  const folder = freshFolder();
  const face = sampleOf('face.mp4');
  if (face === null) throw new Error('There is no sample video.');
  await writeFile(join(folder, 'face.mp4'), await renderMedia(face.format, face.sound));
  await writeSample(folder, 'voice.wav', 8);
  await writeFile(join(folder, 'notes.wav'), 'These are notes.');
  const path = join(folder, 'lines.csv');
  await writeFile(path, ['kind,video,audio,duration', ...lines, ''].join('\n'));
  return path;
}

async function problemsOf(path: string): Promise<readonly string[]> {
  const { problems } = await summarizeManifest(await openManifest(path), { ...OPTIONS, ...LINKS });
  return problems.map(({ line, column, code, got }) => `${String(line)} ${column} ${code}: ${got}`);
}

describe('local media of a manifest', () => {
  it('are known by their content, and priced by their length: a lip-sync by the longer one', async () => {
    const path = await manifestOf('lip-sync,face.mp4,voice.wav,', 'stt,,./voice.wav,', 'lip-sync,face.mp4,voice.wav,2');
    const { rows, summary } = await loadFile(path, LINKS);
    const [first, second, third] = rows.map(({ spec, quoted }) => ({ spec, quoted }));
    const { local } = first?.spec ?? {};
    expect(local?.audio).toMatchObject({ path: join(path, '../voice.wav'), extension: 'wav', seconds: 8 });
    expect(first?.spec.audio).toBe(cellOfContent(local?.audio?.sha256 ?? ''));
    expect(second?.spec.audio).toBe(first?.spec.audio);
    expect([first, second, third].map((row) => row?.quoted)).toEqual([8, 8, 2]);
    expect(summary.unmeasured).toBe(0);
    expect(summary.local).toEqual({ column: 'video', line: 2, rows: 3 });
  });

  it('are priced together with a link only if the link is measured, too', async () => {
    const path = await manifestOf('lip-sync,https://m.example/v.mp4,voice.wav,');
    expect((await loadFile(path, LINKS)).rows[0]?.quoted).toBeNull();
    const probe = (): Promise<{ seconds: number }> => Promise.resolve({ seconds: 11 });
    expect((await loadFile(path, { ...LINKS, probe })).rows[0]?.quoted).toBe(11);
  });

  it('are refused, each with its reason, before anything is paid for', async () => {
    const path = await manifestOf(
      'lip-sync,none.mp4,voice.wav,',
      'lip-sync,voice.wav,face.mp4,',
      'stt,,notes.wav,',
      'stt,,.,',
    );
    expect(await problemsOf(path)).toEqual([
      '2 video bad-media: none.mp4: no such file',
      '3 video bad-media: voice.wav: a file without video (wav)',
      expect.stringContaining('4 audio bad-media: notes.wav: a file whose content is none of mp4, mov'),
      '5 audio bad-media: .: something that is no file',
    ]);
  });

  it('may be symbolic links within the folder, but none that lead out of it', async () => {
    const path = await manifestOf('stt,,in.wav,', 'stt,,out.wav,', 'stt,,sub/voice.wav,');
    const elsewhere = freshFolder();
    await writeSample(elsewhere, 'voice.wav', 2);
    await symlink(join(path, '../voice.wav'), join(path, '../in.wav'));
    await symlink(join(elsewhere, 'voice.wav'), join(path, '../out.wav'));
    await symlink(elsewhere, join(path, '../sub'));
    const why = 'a symbolic link that leads out of the folder; write the path of the file itself';
    expect(await problemsOf(path)).toEqual([
      `3 audio bad-media: out.wav: ${why}`,
      `4 audio bad-media: "sub/voice.wav": ${why}`,
    ]);
    const absolute = await manifestOf(`stt,,${join(elsewhere, 'voice.wav')},`);
    expect(await problemsOf(absolute)).toEqual([]);
  });
});
