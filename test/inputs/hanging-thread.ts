/** A thread that reads recordings, one of which hangs it: in `sample-reader.test.ts`. */
import { readSample } from '../../inputs/voices/read-sample.ts';
import type { SampleJob } from '../../inputs/voices/inspect-sample.ts';
import { serveJobs } from '../../threads/serve-jobs.ts';

serveJobs(async ({ path, content }: SampleJob) => {
  if (path !== '/hanging.wav') return readSample(path, content);
  for (;;) await Promise.resolve();
});
