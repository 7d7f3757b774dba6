/** A flag of `voxbatch simulate`; each takes a value. */
export interface SimulatorFlag {
  readonly name: string;
  /** Name of its value in help texts. */
  readonly value: string;
  readonly description: string;
  /** Default as shown in help texts. */
  readonly default: string;
}

/** All flags, for parsing, help texts and shell completion. */
export const SIMULATOR_FLAGS = [
  { name: 'port', value: 'N', description: 'Port of the API', default: 'a free one' },
  { name: 'media-port', value: 'N', description: 'Port of the results and samples', default: 'a free one' },
  { name: 'host', value: 'ADDRESS', description: 'Address to listen on', default: '127.0.0.1' },
  { name: 'plan', value: 'FILE', description: 'Fault plan (JSON)', default: 'no faults' },
  { name: 'seed', value: 'N', description: 'Seed for answer shapes, durations and faults', default: '1' },
  { name: 'shape', value: 'SHAPE', description: 'Shape of all answers', default: 'drawn by the seed' },
  {
    name: 'voices',
    value: 'RULE',
    description: 'Which voices work: any, except ids such as missing-1, or listed: only those of voices list',
    default: 'any',
  },
  { name: 'text-limit', value: 'N', description: 'Longest text of speech, in characters', default: 'no limit' },
  { name: 'train-ms', value: 'A-B', description: 'How long a new voice is in training, in ms', default: '0-0' },
  { name: 'voice-count', value: 'N', description: 'Voices that the account has made before', default: '0' },
  { name: 'voice-churn', value: 'N', description: 'Voices deleted and made after each page of the list', default: '0' },
  { name: 'credits', value: 'N', description: 'Balance of the account in credits', default: '1000000' },
  { name: 'rate', value: 'N', description: 'Max paid requests per second', default: 'no limit' },
  { name: 'concurrency', value: 'N', description: 'Max unfinished jobs', default: 'no limit' },
  { name: 'create-ms', value: 'A-B', description: 'Latency of paid requests in ms', default: '20-60' },
  { name: 'job-ms', value: 'A-B', description: 'Duration of jobs in ms', default: '500-1500' },
  {
    name: 'job-distribution',
    value: 'NAME',
    description: 'Distribution of job durations: uniform or lognormal',
    default: 'uniform',
  },
  {
    name: 'fetch-media',
    value: 'YES',
    description: 'Fetch the media of requests, and fail what names others that cannot be fetched: yes or no',
    default: 'no',
  },
  { name: 'link-life-ms', value: 'N', description: 'Lifetime of result links in ms', default: '60000' },
  {
    name: 'webhooks',
    value: 'WHEN',
    description:
      "When webhooks go to the profile's address: each (when a job ends), early, late, twice, forged, never, or drawn",
    default: 'drawn',
  },
] as const satisfies readonly SimulatorFlag[];
