import { appendFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { probeManifest } from '../../../batches/plan/price.ts';
import { openManifest, type ManifestSource } from '../../../inputs/manifest-source.ts';
import { readManifest, summarizeManifest, type SoundManifest } from '../../../inputs/read-manifest.ts';
import { renderAudio } from '../../../simulator/media/render-audio.ts';
import { OPTIONS, withManifest } from '../../inputs/manifest-file.ts';
import { inRanges, startMediaServer, type MediaServer } from '../../inputs/media-server.ts';

let media: MediaServer;
beforeEach(async () => {
  media = await startMediaServer({ '/a.wav': inRanges(renderAudio('wav', 'probe', 2.5), 'audio/wav') });
});

const WARNING = { column: 'video', line: 2, rows: 1, message: 'links to local files end with the session' };

/** Checks and probes a manifest of these lines. */
async function probing<T>(
  lines: readonly string[],
  use: (probed: SoundManifest, source: ManifestSource, announced: readonly number[]) => Promise<T>,
  change?: (path: string) => Promise<void>,
): Promise<T> {
  return withManifest(['id,audio,duration', ...lines, ''].join('\n'), async (path) => {
    const source = await openManifest(path);
    const summary = await summarizeManifest(source, OPTIONS);
    await change?.(path);
    const announced: number[] = [];
    const onProbing = (rows: number): void => void announced.push(rows);
    const probed = await probeManifest(
      source,
      { summary: { ...summary, warnings: [WARNING] }, options: OPTIONS },
      { budget: null, apiUrl: media.url, onProbing },
    );
    return use(probed, source, announced);
  });
}

describe('probeManifest', () => {
  it('reads each URL once for both passes, and stores the length as the duration of the row', async () => {
    const url = `${media.url}/a.wav`;
    await probing([`a,${url},`, `b,${url},`, `c,${url},9`], async ({ summary, options }, source, announced) => {
      expect(announced).toEqual([2]);
      // What is known besides, such as short links to local media, is not lost.
      expect(summary).toMatchObject({ quoted: 3 + 3 + 9, unpriced: 0, warnings: [WARNING] });
      const asked = media.requests.length;
      const rows = [];
      for await (const { quoted, spec, input } of readManifest(source, options, summary)) {
        rows.push([quoted, spec.duration, input[2]]);
      }
      expect(rows).toEqual([
        [3, 2.5, ''],
        [3, 2.5, ''],
        [9, 9, '9'],
      ]);
      expect(media.requests).toHaveLength(asked);
    });
  });

  it('asks nothing where all lengths are known', async () => {
    await probing([`a,${media.url}/a.wav,4`], ({ options }, _, announced) => {
      expect({ announced, options, requests: media.requests }).toEqual({
        announced: [],
        options: OPTIONS,
        requests: [],
      });
      return Promise.resolve();
    });
  });

  it('refuses a file that changed since it was checked', async () => {
    const changed = probing(
      [`a,${media.url}/a.wav,`],
      () => Promise.resolve(),
      (path) => appendFile(path, 'b,https://media.example/b.wav,1\n'),
    );
    await expect(changed).rejects.toThrow('changed while it was read. Nothing was spent.');
  });
});
