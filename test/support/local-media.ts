import type { MediaFetch } from '../../simulator/media-fetches.ts';
import type { LiveWorld } from './live-world.ts';

/** Writes a sample of the simulator into the folder of the world. */
export async function keepSample(world: LiveWorld, sample: string, name = sample): Promise<void> {
  const response = await fetch(`${world.simulator.mediaUrl}/samples/${sample}`);
  await world.write(name, Buffer.from(await response.arrayBuffer()));
}

/** Writes `lines.csv`, rows of two kinds over a few local files, so that files are shared, and these files. */
export async function writeLocalManifest(world: LiveWorld, rows: number): Promise<void> {
  for (const name of ['face.mp4', 'voice-1.wav', 'voice-2.wav', 'voice-3.wav']) await keepSample(world, name);
  const lines = Array.from({ length: rows }, (_, at) => {
    const audio = `voice-${String((at % 3) + 1)}.wav`;
    return at % 2 === 0 ? `r${String(at)},lip-sync,face.mp4,${audio}` : `r${String(at)},stt,,./${audio}`;
  });
  await world.write('lines.csv', ['id,kind,video,audio', ...lines, ''].join('\n'));
}

/** What the service has fetched. */
export async function fetchesOf(world: LiveWorld): Promise<readonly MediaFetch[]> {
  const response = await fetch(new URL('/__simulator/media', world.simulator.url));
  return (await response.json()) as MediaFetch[];
}
