import { Option, type Command } from 'commander';
import { DIALECT_FORMS } from '../../contract/dialects.ts';
import { KINDS, STEPS } from '../../contract/row-kinds.ts';
import { OVERLAP_POLICIES } from '../../contract/schedule.ts';
import { DEFAULT_SEED } from '../../contract/subset.ts';
import { DEFAULT_TOLERANCES, type Tolerances } from '../../contract/tolerances.ts';
import { WORKER_DUTIES } from '../../contract/worker-duty.ts';
import { DEFAULT_THRESHOLD, THRESHOLD_BOUNDS } from '../../contract/verify.ts';
import { WEBHOOK_DEFAULTS } from '../../client/webhooks/webhook-options.ts';
import {
  apiField,
  bytes,
  collect,
  credits,
  dialectChoice,
  duration,
  positive,
  share,
  shareWord,
  verify,
  wholeFrom,
  type Flag,
} from './flag-values.ts';
import { METRICS } from './metrics-flags.ts';
import { PAGE } from './page-flags.ts';
import { OUTPUT } from './output-flags.ts';
import { SOUND } from './sound-flags.ts';
import { TUNING, type TuningFlags } from './tuning-flags.ts';
import { WORKER_VERSION } from './version-flags.ts';

type FlagTable = Readonly<Record<string, Flag>>;

/** The default tolerance of `compare`. */
export function upTo(name: keyof Tolerances): string {
  return `any: not judged (default: ${shareWord(DEFAULT_TOLERANCES[name])})`;
}

const OTHERS = 'a later run without it, or with a larger number, runs the others';
const OF_MANIFEST = '(of a manifest: for rows without one)';

const { budget, onEnd, notify, halt, rate, submits, window, pollRate, ...charges } = TUNING;

/** The flags most people need first. */
const FIRST = {
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
  every: ['--every <duration>', 'Fire at each multiple of this length since 1970 in UTC: 90s, 15m, 6h, 1d'],
  cron: [
    '--cron <fields>',
    'Fire by five fields: minute hour day month weekday; or @hourly, @daily, @weekly, @monthly',
  ],
  timezone: ['--timezone <name>', 'Timezone of --cron, and of times that are shown (default: UTC)'],
  name: ['-n, --name <name>', 'Name of the batch (default: the file name)'],
  out: ['-o, --out <folder>', 'Folder for the results (default: out/<batch>)'],
  xlsx: ['--xlsx', 'Also write results.xlsx: results with links to their files, what failed and why, the bill'],
  force: ['--force', 'Overwrite the file of -o'],
  voice: ['--voice <id>', `Voice ${OF_MANIFEST}`],
  engine: ['--engine <id>', `Engine ${OF_MANIFEST}`],
  format: ['--format <format>', `Audio format ${OF_MANIFEST} (default: that of -o, else the API's, mp3)`],
  speed: ['--speed <n>', 'Speaking rate, 0.5 to 2'],
  language: ['--language <code>', `Language ${OF_MANIFEST}`],
  sample: ['--sample <n>', `Run only n rows, from all kinds, voices and engines; ${OTHERS}`, wholeFrom(1)],
  budget,
  budgetMonth: [
    '--budget-month <credits>',
    "Spending limit of all batches of a calendar month in the schedule's timezone; none: no limit",
  ],
  check: ['--check', 'Refuse a manifest that could not run now, instead of warning of it'],
  dryRun: ['--dry-run', 'Only show what it would do, and at which price; changes and spends nothing'],
  yes: ['-y, --yes', 'Do not ask for confirmation'],
  detach: ['--detach', 'Return at once; server and worker continue in the background'],
  json: ['--json', 'Print one line of JSON'],
} as const satisfies FlagTable;

/** Flags of one command. */
const OF_ONE = {
  adopt: [
    '--adopt <row=job...>',
    'Assign a job of the API to an unknown row, by id or number; ROW/TAKE is an earlier take',
  ],
  release: ['--release <rows...>', 'Undo --adopt or --not-charged: these rows, or takes (ROW/TAKE), are unknown again'],
  notCharged: [
    '--not-charged <row/take...>',
    'Mark earlier takes as not charged, because the account shows no job for them',
  ],
  all: ['--all', 'Single jobs (say, transcribe, lip-sync), too'],
  single: ['--single', 'Only single jobs'],
  batch: ['--batch <name>', 'The batch, as a flag'],
  now: ['--now', 'Do not wait for running jobs; list them with their cost, and fetch them later for free'],
  olderThan: ['--older-than <time>', 'Results that no row made or reused for this long: 12h, 30d, 8w', duration],
  keepBytes: ['--keep-bytes <size>', 'Keep those used last, up to this size: 500MB, 10GB', bytes],
  mediaLinks: [
    '--media-links <time>',
    'Write URLs that are valid this long (7d at most) to media-links.csv, and no files; for a store in a bucket',
    duration,
  ],
  media: ['--media', 'Remove its media from the store; out folders keep what they have'],
  manifest: ['--manifest <place>', 'Run this manifest, with the flags of this command; without it, what it runs stays'],
  since: ['--since <duration>', 'How far to look back: 26h, 7d (default: 26h)'],
  compared: ['--compared', 'After it: what was sent is compared; processes that are missing are dead'],
  pausedOk: ['--paused-ok', 'Take what was skipped while a schedule was paused by hand for in order'],
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
  remove: ['--remove', 'Take the confirmation back'],
  jobs: ['--jobs <n>', 'Without batches: how many of the newest lip-sync jobs to read (default: 20)', wholeFrom(0)],
  length: [
    '--length <share>',
    `How much the lengths of a row may differ, above half a second; ${upTo('length')}`,
    share,
  ],
  words: ['--words <share>', `How many of the words of a row's transcripts may differ; ${upTo('words')}`, share],
  credits: ['--credits <share>', `How much the sums of credits may differ; ${upTo('credits')}`, share],
  latency: ['--latency <share>', `How much slower the second batch may be; ${upTo('latency')}`, share],
} as const satisfies FlagTable;

const MANIFEST = {
  limit: ['--limit <n>', `Run only the first n rows; ${OTHERS}`, wholeFrom(1)],
  seed: ['--seed <n>', `With --sample: draw other rows (default: ${String(DEFAULT_SEED)})`, wholeFrom(0)],
  confirmAfterSample: [
    '--confirm-after-sample',
    'With --sample: show its real price, then ask whether to run the others; without a terminal, needs --yes',
  ],
  kind: ['--kind <kind>', `Kind of rows without one: ${KINDS.join(', ')} (default: from the columns)`],
  map: ['--map <ours=theirs>', 'Read a column from one with another name, such as text=script; repeatable', collect],
  cast: [
    '--cast <file>',
    'Give names in the column speaker their voices: a table with name, voice, and engine or api.* if wanted',
  ],
  sheet: ['--sheet <name>', 'Sheet of an Excel workbook to read (default: the first that is not hidden)'],
  strict: ['--strict', 'Refuse unknown columns instead of copying them to the results'],
  fileName: [
    '--file-name <template>',
    'Names of the result files, of {id}, {row}, {kind}, {ext} and columns (default: {id}.{ext})',
  ],
  verify: [
    '--verify [threshold]',
    `Transcribe each speech result and compare it with its text; a share of wrong words from ${String(THRESHOLD_BOUNDS.least)} to ${String(THRESHOLD_BOUNDS.most)} may be given (default: ${String(DEFAULT_THRESHOLD)})`,
    verify,
  ],
  tts: ['--tts <mode>', 'Use speech jobs or the synchronous endpoint for speech (default: job)', ['job', 'sync']],
} as const satisfies FlagTable;

const CHARGES = {
  confirm: ['--confirm <credits>', 'Ask before more than this is spent; where nobody can be asked, refuse it', credits],
  again: ['--again', 'Make a new take, at its price, if there is a result already'],
  resubmit: ['--resubmit', 'Include what may have been charged, or whose job may still run; this can charge it again'],
  newStore: ['--new-store', 'Begin an empty store if the one of these files is not there: they are lost for good'],
  probe: ['--probe', 'Read the length of audio and video files that have no duration cell, to price them'],
  assumeSeconds: ['--assume-seconds <n>', 'Price audio and video of unknown length at this many seconds', positive],
} as const satisfies FlagTable;

/** When a schedule fires. */
const FIRING = {
  jitter: ['--jitter <duration>', 'Fire up to this much later (default: 0)'],
  overlap: [
    '--overlap <policy>',
    'If a batch of the schedule still runs: skip this one; wait, for one or for all; cancel (stop) the running one; allow both (default: skip; of trigger: allow; of backfill: buffer-all)',
    OVERLAP_POLICIES,
  ],
  catchUp: ['--catch-up <duration>', 'Fire late if the server was down, by this much at most (default: 1h)'],
  pauseOnFailure: ['--pause-on-failure', 'Pause after an occurrence that made no batch, or whose batch gave up'],
  noPauseOnFailure: ['--no-pause-on-failure', 'Go on after such an occurrence (the default)'],
  until: ['--until <time>', 'Fire no more after this: 2026-12-31T23:59:59Z'],
  runs: ['--runs <n>', 'Fire this many times, then no more', wholeFrom(1)],
} as const satisfies FlagTable;

const WEBHOOKS = {
  webhook: ['--webhook <url>', "Set the account's webhook to a secret path below this public address while this runs"],
  webhookPort: [
    '--webhook-port <n>',
    `Port that the address leads to (default: ${String(WEBHOOK_DEFAULTS.port)})`,
    wholeFrom(1),
  ],
  webhookHost: ['--webhook-host <address>', `Address to listen on (default: ${WEBHOOK_DEFAULTS.host})`],
  webhookRestore: [
    '--webhook-restore <url>',
    'Webhook to put back in the end (default: VOXBATCH_WEBHOOK_RESTORE, else the one that the profile shows before)',
  ],
} as const satisfies FlagTable;

const LOCAL_MEDIA = {
  serveMedia: [
    '--serve-media <host:port>',
    'Hand out local audio and video of the manifest from here, by links that only the API gets',
  ],
  serveMediaUrl: ['--serve-media-url <url>', 'Where the API reaches that (default: http://HOST:PORT), such as a proxy'],
} as const satisfies FlagTable;

const API = {
  api: ['--api <field=value>', 'A further field for the API, as in an api.<field> column; repeatable', apiField],
  apiDialect: [
    '--api-dialect <dialect>',
    `Paths of the API to use: ${DIALECT_FORMS} (default: the config file's, else v1)`,
    dialectChoice,
  ],
  apiUrl: ['--api-url <url>', 'API address (default: VOXBATCH_API_URL)'],
} as const satisfies FlagTable;

/** All flags by value name, in help order, grouped by heading; flags with an empty heading come first. */
const GROUPS: readonly (readonly [heading: string, flags: FlagTable])[] = [
  ['', { ...OF_ONE, ...FIRST, ...WORKER_VERSION }],
  ['Manifest:', MANIFEST],
  ['Sound:', SOUND],
  ['Firing:', FIRING],
  ['Charges:', { ...CHARGES, ...charges }],
  ['Limits:', { halt, rate, submits, window, pollRate }],
  ['At the end:', { onEnd, notify }],
  ['Local media:', LOCAL_MEDIA],
  ['Webhooks:', WEBHOOKS],
  ['API and output:', { ...API, ...METRICS, ...PAGE, ...OUTPUT }],
];

type Table = typeof FIRST &
  typeof WORKER_VERSION &
  typeof METRICS &
  typeof PAGE &
  typeof OF_ONE &
  typeof MANIFEST &
  typeof SOUND &
  typeof FIRING &
  typeof CHARGES &
  typeof LOCAL_MEDIA &
  typeof WEBHOOKS &
  typeof API &
  typeof OUTPUT;

/** The type of a flag's value, derived from its syntax. */
type Text<F extends string> = F extends `${string}[${string}`
  ? (F extends `${string}...]` ? readonly string[] : string) | true
  : F extends `${string}...>`
    ? readonly string[]
    : F extends `${string}<${string}`
      ? string
      : boolean;

type Value<F extends Flag> = F extends readonly [infer Written, string, infer Takes]
  ? Takes extends readonly (infer Word)[]
    ? Word
    : Takes extends (...given: never[]) => infer Read
      ? Read | Extract<Text<Written & string>, true>
      : never
  : Text<F[0]>;

/** The flag values of a command line. Flags not given are absent. */
export type Flags = {
  readonly [Name in Exclude<keyof Table, 'budget'>]?: Value<Table[Name]>;
} & TuningFlags;

/** Adds flags to a command by their names, in the order of the help. `own`: as this command has them. */
export function addFlags(command: Command, names: readonly string[], own: FlagTable = {}): Command {
  const add = (flag: Flag, heading: string): void => {
    const [flags, means, takes] = flag;
    const option = new Option(flags, means);
    if (heading !== '') option.helpGroup(heading);
    if (typeof takes === 'function') option.argParser(takes as (text: string, before: unknown) => unknown);
    else if (takes !== undefined) option.choices(takes);
    command.addOption(option);
  };
  const isKnown = (name: string): boolean => GROUPS.some(([, flags]) => name in flags);
  for (const [name, flag] of Object.entries(own)) if (!isKnown(name)) add(flag, '');
  for (const [heading, flags] of GROUPS)
    for (const [name, flag] of Object.entries(flags))
      if (name in own || names.includes(name)) add(own[name] ?? flag, heading);
  return command;
}
