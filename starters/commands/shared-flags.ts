import { WEBHOOK_DEFAULTS } from '../../client/webhooks/webhook-options.ts';
import { DIALECT_FORMS } from '../../contract/dialects.ts';
import { FINISHED_FORMATS } from '../../contract/finishing.ts';
import { METRICS_PORT_FORM, parseMetricsPort } from '../../contract/metrics-target.ts';
import { REPORT_CHOICES } from '../../contract/report.ts';
import { KINDS } from '../../contract/row-kinds.ts';
import { SPLIT_MODES } from '../../contract/row-parts.ts';
import { OVERLAP_POLICIES } from '../../contract/schedule.ts';
import { DEFAULT_SEED } from '../../contract/subset.ts';
import { DEFAULT_THRESHOLD, THRESHOLD_BOUNDS } from '../../contract/verify.ts';
import { PROGRESS_FORMS } from '../terminal/output.ts';
import {
  apiField,
  collect,
  credits,
  dialectChoice,
  type FlagTable,
  loudness,
  orNone,
  pause,
  positive,
  reading,
  verify,
  wholeFrom,
} from './flag-values.ts';

/**
 * Flags that several commands have, by the heading under which help shows them.
 */

/** What happens to the rows that `--limit` and `--sample` leave out. */
export const LEFT_OUT_ROWS = 'a later run without it, or with a larger number, runs the others';

/** Which rows of a manifest are run, and how it is read. */
export const MANIFEST = {
  limit: ['--limit <n>', `Run only the first n rows; ${LEFT_OUT_ROWS}`, wholeFrom(1)],
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

/** How speech is finished after its job: split, joined, made louder. */
export const SOUND = {
  split: ['--split <by>', 'Cut texts that are too long, and join their sound into one file', SPLIT_MODES],
  join: ['--join <column>', 'Put speech with one value in this column together into one file, media/joined/VALUE.EXT'],
  pause: [
    '--pause <seconds>',
    'With --join: silence after each row without one in its pause column (default: 0)',
    pause,
  ],
  loudness: [
    '--loudness <lufs>',
    'Make a copy of each speech result with this loudness (EBU R 128), media/finished/; needs ffmpeg, as the next three. For each: none, whatever the config file says',
    orNone(loudness),
  ],
  trimSilence: ['--trim-silence', 'Make copies without silence at the start and the end'],
  noTrimSilence: ['--no-trim-silence', 'Leave it, whatever the config file says'],
  sampleRate: ['--sample-rate <hz>', 'Make copies with so many samples a second', orNone(positive)],
  soundFormat: ['--sound-format <format>', 'Make copies of this type', [...FINISHED_FORMATS, 'none']],
} as const satisfies FlagTable;

/** What may be charged. */
export const CHARGES = {
  confirm: ['--confirm <credits>', 'Ask before more than this is spent; where nobody can be asked, refuse it', credits],
  again: ['--again', 'Make a new take, at its price, if there is a result already'],
  resubmit: ['--resubmit', 'Include what may have been charged, or whose job may still run; this can charge it again'],
  newStore: ['--new-store', 'Begin an empty store if the one of these files is not there: they are lost for good'],
  probe: ['--probe', 'Read the length of audio and video files that have no duration cell, to price them'],
  assumeSeconds: ['--assume-seconds <n>', 'Price audio and video of unknown length at this many seconds', positive],
} as const satisfies FlagTable;

/** When a schedule fires: the flags of it that most people need first. Help shows them without a heading. */
export const COMMON_FIRING = {
  every: ['--every <duration>', 'Fire at each multiple of this length since 1970 in UTC: 90s, 15m, 6h, 1d'],
  cron: [
    '--cron <fields>',
    'Fire by five fields: minute hour day month weekday; or @hourly, @daily, @weekly, @monthly',
  ],
  timezone: ['--timezone <name>', 'Timezone of --cron, and of times that are shown (default: UTC)'],
  budgetMonth: [
    '--budget-month <credits>',
    "Spending limit of all batches of a calendar month in the schedule's timezone; none: no limit",
  ],
} as const satisfies FlagTable;

/** When a schedule fires: its other flags. */
export const FIRING = {
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

/** Where the API posts the ends of jobs. */
export const WEBHOOKS = {
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

/** How files of a manifest that are on this machine reach the API. */
export const LOCAL_MEDIA = {
  serveMedia: [
    '--serve-media <host:port>',
    'Hand out local audio and video of the manifest from here, by links that only the API gets',
  ],
  serveMediaUrl: ['--serve-media-url <url>', 'Where the API reaches that (default: http://HOST:PORT), such as a proxy'],
} as const satisfies FlagTable;

/** How the API is called. */
export const API = {
  api: ['--api <field=value>', 'A further field for the API, as in an api.<field> column; repeatable', apiField],
  apiDialect: [
    '--api-dialect <dialect>',
    `Paths of the API to use: ${DIALECT_FORMS} (default: the config file's, else v1)`,
    dialectChoice,
  ],
  apiUrl: ['--api-url <url>', 'API address (default: VOXBATCH_API_URL)'],
} as const satisfies FlagTable;

/** Where Prometheus reads metrics. */
export const METRICS = {
  metricsPort: [
    '--metrics-port <port>',
    'Show metrics to Prometheus at this PORT of this machine, or HOST:PORT (/metrics), and answer probes there (/healthz, /readyz)',
    reading((text) => (parseMetricsPort(text) === undefined ? undefined : text), METRICS_PORT_FORM),
  ],
} as const satisfies FlagTable;

/** Flags of Temporal's Worker Versioning, with Temporal's names. */
export const WORKER_VERSION = {
  deployment: [
    '--deployment <name>',
    "Take part in Temporal's Worker Versioning: a batch stays with the workers of its version until it continues as new (default: TEMPORAL_DEPLOYMENT_NAME)",
  ],
  buildId: [
    '--build-id <id>',
    "This worker's version in its deployment (default: TEMPORAL_WORKER_BUILD_ID, else the version of voxbatch)",
  ],
} as const satisfies FlagTable;

/** What a command prints while it works, and what it writes beside the results. */
export const OUTPUT = {
  report: [
    '--report <which>',
    'Report to write with the results: none, short (without rows that have their result) or full (default: full)',
    REPORT_CHOICES,
  ],
  log: ['--log <format>', 'Form of the lines on stderr (default: text)', ['text', 'json']],
  progress: [
    '--progress <form>',
    'bar, plain lines, json (events on stdout, one a line; the last has the exit code) or none (default: bar on a terminal that takes it, else plain)',
    PROGRESS_FORMS,
  ],
  quiet: ['-q, --quiet', 'Show no progress; warnings, errors and the summary are still printed'],
  verbose: ['-v, --verbose', 'Also print the log of the worker in this process: each step, never texts'],
} as const satisfies FlagTable;
