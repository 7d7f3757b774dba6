import { STEPS } from '../../contract/row-kinds.ts';
import { DEFAULT_TOLERANCES, type Tolerances } from '../../contract/tolerances.ts';
import { WORKER_DUTIES } from '../../contract/worker-duty.ts';
import {
  bytes,
  collect,
  duration,
  type Flag,
  type FlagTable,
  positive,
  reading,
  share,
  shareWord,
  wholeFrom,
} from './flag-values.ts';
import { COMMON_FIRING, LEFT_OUT_ROWS } from './shared-flags.ts';
import { TUNING } from './tuning-flags.ts';

/** Help text for the values of a tolerance of `compare`, with its default. */
export function toleranceHelp(name: keyof Tolerances): string {
  return `any: not judged (default: ${shareWord(DEFAULT_TOLERANCES[name])})`;
}

/** Appended to flags that set a default for the rows of a manifest. */
const FOR_MANIFEST = '(of a manifest: for rows without one)';

const { budget, ...tuning } = TUNING;
/** Tuning flags without `--budget`, which is in {@link COMMON_FLAGS}. */
export const OTHER_TUNING = tuning;

const { budgetMonth, ...firing } = COMMON_FIRING;

/** The flags that most people need first. Help shows them without a heading. */
export const COMMON_FLAGS = {
  where: [
    '--where <condition>',
    'Rows that match: outcome=…, class=… or kind=…, with values separated by commas; repeatable, all must match',
    collect,
  ],
  rows: ['--rows <list>', 'Rows by id, separated by commas; or by number (12 or #12) if no row has that id', collect],
  damaged: [
    '--damaged',
    'Only rows whose stored file is lost or damaged: what a job made is fetched again, free; safe to repeat',
  ],
  from: ['--from <file>', 'Rows of an edited manifest or outcome file; edited rows are done again'],
  step: ['--step <step>', `Do this step and all later ones again, even if they are finished: ${STEPS.join(', ')}`],
  accept: [
    '--accept [rows...]',
    'Accept results as they are, free, that failed a check or lack the answer of their verification: of these rows, or of those that --where and --rows select; ROW/TAKE goes back to the result of that take',
  ],
  ...firing,
  name: ['-n, --name <name>', 'Name of the batch (default: the file name)'],
  out: ['-o, --out <folder>', 'Folder for the results (default: out/<batch>)'],
  xlsx: ['--xlsx', 'Also write results.xlsx: results with links to their files, what failed and why, the bill'],
  force: ['--force', 'Overwrite the file of -o'],
  voice: ['--voice <id>', `Voice ${FOR_MANIFEST}`],
  engine: ['--engine <id>', `Engine ${FOR_MANIFEST}`],
  format: ['--format <format>', `Audio format ${FOR_MANIFEST} (default: that of -o, else the API's, mp3)`],
  speed: ['--speed <n>', 'Speaking rate, 0.5 to 2'],
  language: ['--language <code>', `Language ${FOR_MANIFEST}`],
  sample: ['--sample <n>', `Run only n rows, from all kinds, voices and engines; ${LEFT_OUT_ROWS}`, wholeFrom(1)],
  budget,
  budgetMonth,
  check: ['--check', 'Refuse a manifest that could not run now, instead of warning of it'],
  dryRun: ['--dry-run', 'Only show what it would do, and at which price; changes and spends nothing'],
  yes: ['-y, --yes', 'Do not ask for confirmation'],
  detach: ['--detach', 'Return at once; server and worker continue in the background'],
  json: ['--json', 'Print one line of JSON'],
} as const satisfies FlagTable;

/** Flags of one or two commands. */
export const SPECIAL_FLAGS = {
  adopt: [
    '--adopt <row=job...>',
    'Assign a job of the API, or a file of the store that reconcile names, to an unknown or unsent row, by id or number; ROW/TAKE is an earlier take, or the next one of an ended row',
  ],
  release: ['--release <rows...>', 'Undo --adopt or --not-charged: these rows, or takes (ROW/TAKE), are unknown again'],
  notCharged: [
    '--not-charged <row/take...>',
    'Mark earlier takes as not charged, because the account shows no job for them',
  ],
  all: ['--all', 'Single jobs (say, transcribe, lip-sync), too'],
  single: ['--single', 'Only single jobs'],
  batch: ['--batch <name>', 'Name of the batch'],
  now: ['--now', 'Do not wait for running jobs; list them with their cost, and fetch them later for free'],
  olderThan: ['--older-than <time>', 'Results that no row made or reused for this long: 12h, 30d, 8w', duration],
  keepBytes: ['--keep-bytes <size>', 'Keep those used last, up to this size: 500MB, 10GB', bytes],
  mediaLinks: [
    '--media-links <time>',
    'Write URLs that are valid this long (7d at most) to media-links.csv, and no files; for a store in a bucket',
    duration,
  ],
  media: ['--media', 'Remove its media from the store; out folders keep what they have'],
  manifest: [
    '--manifest <place>',
    'Run this manifest, with the flags of this command; without it, the manifest and its flags stay',
  ],
  since: ['--since <duration>', 'How far to look back: 26h, 7d (default: 26h)'],
  compared: [
    '--compared',
    'Confirm, after compare-store, that you compared its requests with your account, and that missing processes are dead',
  ],
  pausedOk: ['--paused-ok', 'Do not report occurrences that were skipped while a schedule was paused by hand'],
  to: ['--to <time>', 'Last moment'],
  reason: ['--reason <words>', 'Why, for the record; `history` says it'],
  note: ['--note <words>', 'Why; `show` and `list` say it'],
  lookEvery: [
    '--look-every <seconds>',
    'How often to look for open batches without a worker, and continue them (default: 30)',
    positive,
  ],
  grace: [
    '--grace <time>',
    'After SIGTERM, wait so long for answers to requests in flight (default: 20s for a worker, else 30s)',
    duration,
  ],
  only: ['--only <part>', 'Pay and wait for jobs, or download the results of jobs (default: both)', WORKER_DUTIES],
  aliveFile: [
    '--alive-file <file>',
    'Make this file when ready, touch it every 5 seconds, remove it in the end: for the probe of an orchestrator',
  ],
  untilIdle: ['--until-idle', 'Exit when no batch is open'],
  printUnit: [
    '--print-unit <manager>',
    'Start nothing; print a unit that runs this as a service',
    ['systemd', 'launchd', 'cron'],
  ],
  wait: ['--wait <time>', 'Start nothing; wait so long until the `up` of this home is ready', duration],
  unlessRunning: ['--unless-running', 'Exit with 0 and without a word if `up` runs in this home already'],
  strictSchema: ['--strict-schema', 'The same, and end with an error (15) if something is missing or has changed'],
  search: ['--search <words>', 'Only voices that match these words'],
  provider: ['--provider <name>', 'Only voices of this provider'],
  audio: ['--sample, --audio <file...>', 'A recording on this machine (wav, mp3, m4a, ogg, flac); repeatable'],
  transcript: ['--transcript <text>', 'What is said in the recordings'],
  description: ['--description <text>', 'Any text about the voice'],
  visibility: ['--visibility <who>', 'Who may use it: private or public'],
  clear: ['--clear', 'Take the address away, if the API has a way'],
  remove: ['--remove', 'Withdraw the confirmation of this folder'],
  jobs: ['--jobs <n>', 'Without batches: how many of the newest lip-sync jobs to read (default: 20)', wholeFrom(0)],
  length: [
    '--length <share>',
    `How much the lengths of a row may differ, above half a second; ${toleranceHelp('length')}`,
    share,
  ],
  words: [
    '--words <share>',
    `How many of the words of a row's transcripts may differ; ${toleranceHelp('words')}`,
    share,
  ],
  credits: ['--credits <share>', `How much the sums of credits may differ; ${toleranceHelp('credits')}`, share],
  latency: ['--latency <share>', `How much slower the second batch may be; ${toleranceHelp('latency')}`, share],
} as const satisfies FlagTable;

const MAX_PORT = 65_535;

/** `--port` of `voxbatch page`. */
export const PAGE_PORT: Flag = [
  '--port <port>',
  'Where it listens on this machine (default: any free port)',
  reading(
    (text) => (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT ? Number(text) : undefined),
    'a port, such as 8085',
  ),
];

/** `--page`, for commands that follow a batch. */
export const PAGE_FLAG = {
  page: ['--page', 'Also show batches in a browser while it runs, as voxbatch page does; prints the address'],
} as const satisfies FlagTable;
