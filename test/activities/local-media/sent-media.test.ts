/** @slow */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cellOfContent } from '../../../contract/local-media.ts';
import { submit } from '../../../activities/submit.ts';
import type { LocalFile, RowSpec } from '../../../contract/row-kinds.ts';
import { KEY_BYTES } from '../../../store/local-media/link-seal.ts';
import type { LocalMediaLinks } from '../../../store/local-media/media-links.ts';
import { serveMedia } from '../../../store/local-media/serve-media.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { freePort } from '../../support/free-port.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import { writeFileOf } from '../../support/samples.ts';
import { waitFor } from '../../support/wait-for.ts';
import { keyOf } from '../rows.ts';
import { movableClock } from '../worker.ts';
import { begin } from '../world.ts';

const HANG = { on: 'create', operation: 'lip-sync-job', fault: { kind: 'hang', accepted: true } } as const;
const at = (row: number): ReturnType<typeof keyOf> => keyOf(row, 1, 'lip-sync');

async function openLinks(): Promise<LocalMediaLinks> {
  const port = await freePort();
  const links = await serveMedia(
    { host: '127.0.0.1', port, url: `http://127.0.0.1:${String(port)}` },
    randomBytes(KEY_BYTES),
  );
  endAfterTest(() => links.close());
  return links;
}

/** Links of a place that everybody can fetch from, made in this way. */
function linksWith(linkTo: LocalMediaLinks['linkTo']): LocalMediaLinks {
  return { prepare: () => Promise.resolve(), linkTo, close: () => Promise.resolve() };
}

/** A lip-sync of files that differ from those of other numbers. */
async function localLipSync(
  number: number,
): Promise<RowSpec & { readonly local: { readonly video: LocalFile; readonly audio: LocalFile } }> {
  const folder = freshFolder();
  const [video, audio] = await Promise.all([
    writeFileOf(join(folder, 'v'), Buffer.from(`video ${String(number)}`), { extension: 'mp4', seconds: 3 }),
    writeFileOf(join(folder, 'a'), Buffer.from(`audio ${String(number)}`), { extension: 'wav', seconds: 3 }),
  ]);
  const cells = { video: cellOfContent(video.sha256), audio: cellOfContent(audio.sha256) };
  return { kind: 'lip-sync', ...cells, local: { video, audio }, extra: {} };
}

describe('a request with local media', () => {
  it('whose answer is lost is recognised in the list by the content of its files, although no link is on record', async () => {
    const specs = [await localLipSync(1), await localLipSync(2)];
    const { world } = await begin(specs, { rules: [HANG], echoInputs: true });
    const links = await openLinks();
    const killed = await world.worker({ change: () => ({ mediaLinks: links }) });
    for (const row of [1, 2]) void killed.submit(at(row));
    await waitFor(() => world.charges().length === 2);
    const other = await openLinks();
    const worker = await world.worker({ change: () => ({ mediaLinks: other }) });
    for (const row of [2, 1]) {
      await worker.drive(row);
      expect((await world.row(row)).outcome).toBe('succeeded');
    }
    const made = new Map(world.charges().map(({ jobId, videoUrl }) => [jobId, videoUrl]));
    for (const [index, { local }] of specs.entries())
      expect(made.get((await world.row(index + 1)).charges[0]?.jobId ?? null)).toContain(local.video.sha256);
    expect(await world.paidRequests()).toBe(2);
    expect(JSON.stringify([await world.row(1), await world.row(2)])).not.toContain('127.0.0.1');
  });

  it('is not sent for a file that has changed, nor by a worker that hands out none', async () => {
    const spec = await localLipSync(1);
    const { world } = await begin([spec, await localLipSync(2)]);
    await writeFile(spec.local.video.path, 'video 9');
    const links = await openLinks();
    const worker = await world.worker({ change: () => ({ mediaLinks: links }) });
    await worker.drive(1);
    await (await world.worker()).drive(2);
    const words = ['has changed since its row was checked', 'Start it with --serve-media'];
    for (const [index, word] of words.entries()) {
      const { outcome, charges } = await world.row(index + 1);
      expect({ outcome, failure: charges[0]?.failure }).toMatchObject({
        outcome: 'failed',
        failure: { class: 'BadRequest', message: expect.stringContaining(word) as unknown },
      });
    }
    expect(await world.paidRequests()).toBe(0);
  });

  it.each(['lip-sync', 'stt'] as const)(
    'is not sent, and its row not unknown, while a link to it cannot be signed (%s)',
    async (kind) => {
      const { local, ...spec } = await localLipSync(1);
      const { audio } = local;
      const step = kind === 'stt' ? 'transcription' : 'lip-sync';
      const { world, worker } = await begin(
        [kind === 'stt' ? { kind, audio: spec.audio ?? '', local: { audio }, extra: {} } : { ...spec, local }],
        {
          change: () => ({ mediaLinks: linksWith(() => Promise.reject(new Error('no credentials from any source'))) }),
        },
      );
      expect(await worker.submit(keyOf(1, 1, step))).toMatchObject({
        verdict: 'not-accepted',
        next: { type: 'submit' },
      });
      expect((await world.row()).charges).toMatchObject([
        {
          state: 'not-accepted',
          failure: { class: 'NotSent', message: 'The request was not sent – no credentials from any source.' },
        },
      ]);
      expect(await world.paidRequests()).toBe(0);
      const links = await openLinks();
      await (await world.worker({ change: () => ({ mediaLinks: links }) })).drive(1);
      expect(await world.row()).toMatchObject({ outcome: 'succeeded' });
      expect(await world.paidRequests()).toBe(1);
    },
  );

  it('goes out however long a link to it takes: nothing is on record that could be late', async () => {
    const clock = movableClock();
    const { world, worker } = await begin([await localLipSync(1)], {
      clock,
      change: () => ({
        mediaLinks: linksWith(async (file, validMs) => {
          clock.move({ wall: 20_000, monotonic: 20_000 });
          return (await links).linkTo(file, validMs);
        }),
      }),
    });
    const links = openLinks();
    expect(await worker.submit(at(1))).toMatchObject({ verdict: 'accepted' });
    expect(await world.attempts()).toEqual(['lip-sync 1 accepted']);
  });

  it('leaves at once where its lane ends while a link is signed, and nothing is on record', async () => {
    const ending = new AbortController();
    let links: LocalMediaLinks | undefined;
    const isAsked = new Promise<void>((resolve) => {
      links = linksWith(() => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    const { world, worker } = await begin([await localLipSync(1)], { change: () => ({ mediaLinks: links }) });
    const submitting = submit(worker.deps, at(1), ending.signal);
    const ended = expect(submitting).rejects.toThrow('the lane ends');
    await isAsked;
    ending.abort(new Error('the lane ends'));
    await ended;
    expect((await world.row()).charges).toEqual([]);
  });
});
