/**
 * Results per second that the store takes, and their cost for the thread that talks to the network: MP3s of 20 KB, 64
 * at once, stored by threads and, alternately, by the calling thread itself. `npm run bench:store [-- FILES [FOLDER]]`;
 * the folder selects the disk, default: that of temporary files. Needs Linux, the only system that reports the CPU of
 * one thread.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { renderAudio } from '../simulator/media/render-audio.ts';
import { openFolderStore, type FolderStoreOptions } from '../store/folder-store.ts';

const AT_ONCE = 64;
const BYTES = 20_000;
const ROUNDS = 3;
/** As they come from a socket. */
const PIECE_BYTES = 16_384;

const files = Number(process.argv[2] ?? 2_000);
const folder = process.argv[3] ?? tmpdir();
const body = renderAudio('mp3', 'a line of a manifest', BYTES / 4_000);

/** CPU of the main thread so far, ms. */
async function mainThreadMs(): Promise<number> {
  const [nanoseconds = '0'] = (await readFile('/proc/self/schedstat', 'utf8')).split(' ');
  return Number(nanoseconds) / 1e6;
}

function bodyInPieces(): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += PIECE_BYTES) pieces.push(body.subarray(at, at + PIECE_BYTES));
  return Readable.from(pieces, { objectMode: false });
}

async function measure(name: string, options: FolderStoreOptions): Promise<void> {
  const place = await mkdtemp(join(folder, 'voxbatch-bench-'));
  const store = openFolderStore(place, options);
  const store64 = pLimit(AT_ONCE);
  const write = (row: number): Promise<unknown> =>
    store64(() =>
      store.write(`b/${row}`, bodyInPieces(), {
        family: 'audio',
        contentLength: body.length,
        contentType: 'audio/mpeg',
      }),
    );
  // Starts threads and compiles code outside of the measurement.
  await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => write(-at)));
  const [began, cpu, main] = [performance.now(), process.cpuUsage(), await mainThreadMs()];
  await Promise.all(Array.from({ length: files }, (_, at) => write(at + 1)));
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const mainMs = (await mainThreadMs()) - main;
  const perFile = (ms: number): string => `${(ms / files).toFixed(3)} ms`;
  const cpuMs = (user + system) / 1_000;
  console.log(
    `${name.padEnd(16)} ${(files / seconds).toFixed(0)} files/s, main thread ${perFile(mainMs)} a file, all threads ${perFile(cpuMs)}`,
  );
  await store.close();
  await rm(place, { recursive: true });
}

console.log(`${files} MP3s of ${body.length} bytes, ${AT_ONCE} at once, in ${folder}; Node ${process.versions.node}`);
const threadEntry = new URL('../dist/store/media-thread.js', import.meta.url);
for (let round = 0; round < ROUNDS; round += 1) {
  await measure('two threads', { threadEntry });
  await measure('one thread', { threadEntry, threads: 1 });
  await measure('the same thread', {});
}
