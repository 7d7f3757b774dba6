import type { LocalFile } from '../../contract/row-kinds.ts';
import { SAMPLE_LIMITS, type SampleLimits } from '../../contract/api-limits.ts';
import { inMegabytes, inspectSample } from './inspect-sample.ts';
import { show, type Finding } from '../../contract/manifest-problems.ts';
import { readInFolders } from '../read-in-folders.ts';
import { SAMPLE_FORMATS, type Sample } from './read-sample.ts';

/** Where recordings ("samples") are looked up, and their limits. */
export interface SampleRules {
  /** Base folders for relative paths; the first that has the file wins. */
  readonly folders: readonly string[];
  /** Default: {@link SAMPLE_LIMITS}. */
  readonly limits?: SampleLimits | undefined;
}

/** The recordings of a cell as found on disk, or the problems with them. */
export type CheckedSamples =
  { readonly files: readonly LocalFile[] } | { readonly findings: readonly Omit<Finding, 'column'>[] };

/** Reads and checks the recordings of a cell, such as those of a new voice, before anything is paid for. */
export async function checkSamples(samples: readonly LocalFile[], rules: SampleRules): Promise<CheckedSamples> {
  const { limits = SAMPLE_LIMITS } = rules;
  if (samples.length > limits.files) {
    const expected = `${String(limits.files)} files at most (setting samples.files)`;
    return { findings: [{ expected, got: `${String(samples.length)} files`, code: 'bad-sample' }] };
  }
  const findings: Omit<Finding, 'column'>[] = [];
  const files: LocalFile[] = [];
  const read = async ({ path }: LocalFile): Promise<{ readonly path: string; readonly sample: Sample }> => {
    return { path, sample: await readInFolders(path, rules.folders, (place) => inspectSample(place, limits.bytes)) };
  };
  for (const { path, sample } of await Promise.all(samples.map(read))) {
    if ('why' in sample) {
      const expected = `a recording (${SAMPLE_FORMATS}) of ${inMegabytes(limits.bytes)} at most (setting samples.bytes)`;
      findings.push({ expected, got: `${show(path)}: ${sample.why}`, code: 'bad-sample' });
    } else files.push(sample);
  }
  const seconds = files.reduce((sum, file) => sum + file.seconds, 0);
  if (findings.length === 0 && seconds > limits.seconds) {
    const expected = `${String(limits.seconds)} s of recordings at most (setting samples.seconds)`;
    findings.push({ expected, got: `${seconds.toFixed(1)} s`, code: 'bad-sample' });
  }
  const twice = files.find(({ sha256 }, at) => files.findIndex((one) => one.sha256 === sha256) < at);
  if (twice !== undefined) {
    findings.push({ expected: 'recordings that differ', got: `${show(twice.path)} twice`, code: 'bad-sample' });
  }
  return findings.length > 0 ? { findings } : { files };
}
