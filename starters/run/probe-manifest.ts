import type { SoundManifest } from '../../inputs/read-manifest.ts';
import { probeManifest } from '../../batches/plan/probe-manifest.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { Output } from '../terminal/output.ts';
import { notProbedLines, probingText } from '../terminal/spend-words.ts';

/** What media are probed for. */
interface ProbeFor {
  readonly budget: number | null;
  /** Address of the API; undefined if none is set. */
  readonly apiUrl: string | undefined;
  readonly output: Output;
}

/** `--probe`: reads the length of media that state none, and reports that, and which could not be read. */
export async function probeAloud(
  source: ManifestSource,
  checked: SoundManifest,
  { budget, apiUrl, output }: ProbeFor,
): Promise<SoundManifest> {
  const onProbing = (rows: number): void => {
    output.say(probingText(rows));
  };
  const probed = await probeManifest(source, checked, { budget, apiUrl, onProbing });
  for (const line of notProbedLines(probed.summary.notProbed, checked.options.assumeSeconds)) output.say(line);
  return probed;
}
