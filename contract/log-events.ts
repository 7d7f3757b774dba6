import { NOTES, type WorkEvent } from './work-events.ts';

/** The events of the JSON log, for docs/guide and the logger: every `event` name, its levels and what it means. */

/** One event: the levels at which it is logged, separated by `; `, and its description in Markdown. */
interface LogEvent {
  readonly levels: string;
  readonly says: string;
}

/** Events of a worker, by their name in the log. Messages for the person on call are in {@link NOTES}. */
const WORK: Readonly<Record<Exclude<WorkEvent['type'], 'note'>, LogEvent>> = {
  batch: {
    levels: 'info; warn',
    says: '`is`: `open` (there as the worker begins), `start`, `pause`, `resume`, `stop`, `redrive` and what else [`history`](commands.md#voxbatch-history) knows, with `by` and `reason`; `end` with `exit`, `outcomes`, `charged`. A warning where it paused by itself (`failure`) or ended with another exit than `complete`',
  },
  schedule: { levels: 'info', says: 'somebody set, paused, resumed, triggered or deleted it (`is`, `by`, `reason`)' },
  occurrence: {
    levels: 'info; warn',
    says: 'a schedule has fired: `is` `begin`, `end` with `exit`; a warning where that is not `complete` or its files are not written (`problem`)',
  },
  lane: { levels: 'info; warn; debug', says: 'a share of a batch was `taken`, has `claimed` rows, or ended (`is`)' },
  row: {
    levels: 'warn; debug',
    says: 'a row has ended: its `outcome`, and why it has no result (`failure`, `cause`, `status`, `request_id`); a warning where it is `failed`, `unfit`, `unknown` or `overdue`',
  },
  limiter: {
    levels: 'warn; info',
    says: 'all calls `of` a class slow down (`slow-down`), pause because the API does not answer (`trouble`), or go on (`well`); `failure`, `cause` and `status` say what happened',
  },
  intent: { levels: 'debug', says: 'a request was asked for: `answer` is `go`, or why it was not sent' },
  answer: { levels: 'debug', says: 'the API answered a paid request after `ms`' },
  verdict: {
    levels: 'debug; info',
    says: 'what that means for the row; with `failure`, `status`, `request_id` where it was refused or is lost',
  },
  commit: { levels: 'debug', says: 'the verdict or the result is on disk, after `ms`' },
  poll: { levels: 'debug', says: 'a job was read: `found`, and its age' },
  download: { levels: 'debug; info', says: 'a result was stored (`bytes`, `ms`), or could not be fetched (`error`)' },
};

const NOTED = Object.fromEntries(
  Object.entries(NOTES).map(([name, [levels, says]]) => [name, { levels, says } satisfies LogEvent]),
);

/** Events that are not about a batch: the command's own messages, and those of libraries. */
const PROCESS = {
  message: { levels: 'info; warn', says: 'a sentence for people: progress, warnings, the summary' },
  failed: {
    levels: 'error',
    says: 'the last line of a command that did not do its job: `exit`, `exit_code`, `retry`, `next`',
  },
  stopped: { levels: 'info', says: 'the last line of a `worker` or `up` that was told to end: `exit`, `exit_code`' },
  temporal: { levels: 'warn; error', says: "a line of Temporal's SDK or of its native part" },
  warning: { levels: 'warn', says: 'a warning of Node or a library' },
  crash: { levels: 'fatal', says: 'an error that nobody caught; the process ends with 1' },
  stderr: { levels: 'warn', says: 'what something else printed' },
} as const satisfies Readonly<Record<string, LogEvent>>;

/** Every value of `event` in the log. */
export const LOG_EVENTS: Readonly<Record<string, LogEvent>> = { ...WORK, ...NOTED, ...PROCESS };

/** A name in {@link PROCESS}. */
export type ProcessEvent = keyof typeof PROCESS;
