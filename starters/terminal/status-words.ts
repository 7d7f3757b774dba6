import { isoTime } from '../../contract/times.ts';
import { nextCommand } from '../../contract/shell-word.ts';
import { chosenOf, endedOf, endsOf, resultsOf } from '../../client/status/counts-view.ts';
import { rowArg } from '../../client/status/continue-command.ts';
import type { BatchStatus, StatusStep } from '../../client/status/status.ts';
import { workSpan } from '../../client/status/pace.ts';
import { flagOfHook } from '../../client/status/status-view.ts';
import { isUndelivered } from '../../contract/hooks.ts';
import { ROW_STATES, type RowState } from '../../contract/outcomes.ts';
import { CONFIRM_FIRST } from '../trust/member-words.ts';
import {
  dialectWords,
  commandLine,
  goOnCommand,
  namedRow,
  rowsInWords,
  clock,
  number,
  plural,
  sentence,
  tookWords,
} from './words.ts';
import { damagedLines, moneyWords } from './money.ts';
import { stepWords } from './next-steps.ts';
import { pauseWords, standstillWords } from './pause-words.ts';
import {
  limitedWords,
  oldestWords,
  paceWords,
  reasonWords,
  storeWaitWords,
  unknownPriceWords,
} from './progress-words.ts';
import { oneLine } from './table.ts';
import type { ReportWords } from '../../client/report/wanted-report.ts';

type Batch = BatchStatus['batch'];

/** Returns one word for the state of a batch. `isDeserted`: no worker works on it. */
export function stateWord(batch: Batch, isDeserted = false): string {
  if (batch.state === 'loading') return 'loading';
  if (batch.halted !== null) return batch.state === 'closed' ? 'halted' : 'halting';
  if (batch.state === 'closed') return 'finished';
  return isDeserted && batch.control === 'running' ? 'open' : batch.control;
}

/** Returns the status of a batch as lines. `now`: ms since 1970. */
export function statusLines(status: BatchStatus, now: number): readonly string[] {
  const { batch, counts, money, reasons, failures, unpricedSteps = [], oldest, api, storeWaits, processes } = status;
  const speed = batch.state === 'open' ? paceWords(status, now) : [];
  const ended = endsOf(counts).map(([word, rows]) => `${number(rows)} ${word}`);
  const open = openWords(counts);
  // Groups of failures, if they were read, cover the rows that have ended; only open rows are then listed by reason.
  const shown =
    failures.length === 0 ? reasons : reasons.flatMap((reason) => (reason.open > 0 ? [{ ...reason, ended: 0 }] : []));
  const details = [
    `account ${batch.account}, ${batch.apiUrl}${dialectWords(batch.settings)}, from ${oneLine(batch.source)}`,
    ...(ended.length > 0 ? [`ended: ${ended.join(', ')}`] : []),
    ...(open === '' ? [] : [`not ended: ${open}`]),
    ...(speed.length > 0 ? [`pace: ${speed.join(', ')}`] : []),
    ...(oldest === undefined ? [] : [`${oldestWords(oldest, now, batch.settings)}${lastRowWords(status, now)}`]),
    ...processes.map(processWords),
    ...(storeWaits === undefined ? [] : [storeWaitWords(storeWaits, now)]),
    ...(api?.limited == null ? [] : [limitedWords(api.limited, now)]),
    `credits: ${moneyWords(money, batch.settings.budget)}`,
    ...(unpricedSteps.length > 0
      ? [`${unknownPriceWords(unpricedSteps)}: prices are estimates, and the budget must hold`]
      : []),
    ...damagedLines(money),
    ...failures.map(failureWords),
    ...moreLines(status),
    ...shown.map((reason) => `${reasonWords(reason)}${reason.ended === 0 ? ', in rows that still run' : ''}`),
    ...noteLines(status, now),
  ];
  const title = `Batch "${batch.name}": ${stateWord(batch, status.isDeserted)}, ${number(resultsOf(counts))} of ${rowsInWords(chosenOf(counts))} done${timesOf(batch, now)}`;
  // The ledger may be somebody else's, so its texts must not be able to start a line of their own.
  return [title, ...details.map((line) => `  ${line}`)].map(oneLine);
}

/** The oldest of the last rows is mentioned once it has run for this long, ms. */
const LONG_ROW_MS = 60_000;
/** Rows count as the last ones if at least this many times as many have ended: 5 % are left. */
const ENDED_PER_LAST_ROW = 19;

/**
 * Returns `; 59 of 60 rows have ended. To look into it: voxbatch explain r7 --batch lines` if few rows are left and one
 * takes long; else nothing.
 */
export function lastRowWords(
  {
    batch,
    counts,
    oldest,
    isLedgerUnconfirmed,
  }: Pick<BatchStatus, 'batch' | 'counts' | 'oldest' | 'isLedgerUnconfirmed'>,
  now: number,
): string {
  const [chosen, ended] = [chosenOf(counts), endedOf(counts)];
  const isLast = oldest !== undefined && ended >= ENDED_PER_LAST_ROW * (chosen - ended);
  if (!isLast || isLedgerUnconfirmed || now - oldest.since < LONG_ROW_MS) return '';
  const explain = commandLine(nextCommand('explain', rowArg(oldest), '--batch', batch.name));
  return `; ${number(ended)} of ${rowsInWords(chosen)} have ended. To look into it: ${explain}`;
}

/**
 * Returns `process 4711 (voxbatch up, since 2026-12-01T02:00:00Z) works here in the background. To end it: kill 4711`.
 */
function processWords({ pid, command, startedAt, isDetached }: BatchStatus['processes'][number]): string {
  const what = command === null ? 'a program' : `voxbatch ${command}`;
  const end = isDetached ? ` in the background. To end it: kill ${String(pid)}` : '';
  return `process ${String(pid)} (${what}, since ${isoTime(startedAt)}) works here${end}`;
}

function failureWords(group: BatchStatus['failures'][number]): string {
  const first = namedRow({ row: group.firstRow, id: group.firstId });
  return `${number(group.rows)} × ${group.class}${group.rows === 1 ? '' : ', first'} in ${first}: ${oneLine(group.message)}`;
}

/** Returns how many less frequent failures there are: `and 7 more kinds (12 rows): voxbatch report lines`. */
function moreLines({
  batch: { name },
  isLedgerUnconfirmed,
  moreFailures: { kinds, rows },
}: BatchStatus): readonly string[] {
  if (rows === 0) return [];
  const all = isLedgerUnconfirmed ? '' : `: ${commandLine(nextCommand('report', name))}`;
  return [`and ${plural(kinds, 'more kind')} (${rowsInWords(rows)})${all}`];
}

/** Describes what was removed from a batch. */
function cleanedLines({ name, cleaned: { media, rows, unfinished } }: Batch): readonly string[] {
  const mediaFlag = unfinished?.rows === true ? '--all' : '--media';
  const flag = unfinished?.media === true ? mediaFlag : '--rows';
  return [
    ...(media === null ? [] : [`its media were removed from the store at ${isoTime(media)}`]),
    ...(rows === null ? [] : [`what its rows asked for was removed at ${isoTime(rows)}`]),
    ...(unfinished === null
      ? []
      : [`a clean was cut off. Finish it: ${commandLine(nextCommand('clean', name, flag))}`]),
  ];
}

/** Returns a line about a hook that is undelivered, being retried, or has failed for good; else no lines. */
function hookLines(
  hook: BatchStatus['hooks'][number],
  { batch, isLedgerUnconfirmed }: BatchStatus,
  now: number,
): readonly string[] {
  const { target, event, trouble, endedAt, dueAt } = hook;
  const flag = flagOfHook(target);
  if (isUndelivered(hook)) {
    const command = isLedgerUnconfirmed ? '' : ` Tell it with: ${goOnCommand(batch)}`;
    return [`${flag} (${event}) is still to be told.${command}`];
  }
  if (trouble === null) return [];
  const next =
    endedAt === null
      ? `next try in ${clock(Math.max(0, dueAt - now))}, while a worker is running (voxbatch up)`
      : 'given up';
  return [`${flag} (${event}) failed: ${trouble}; ${next}`];
}

/** Returns why a batch does not go on and what to do, a line each; `status`, page and report show these. */
export function noteLines(status: BatchStatus, now: number): readonly string[] {
  return [
    ...cleanedLines(status.batch),
    ...status.hooks.flatMap((hook) => hookLines(hook, status, now)),
    ...status.next.map((step) => statusStepWords(step, status, now)),
  ].map(oneLine);
}

function statusStepWords(step: StatusStep, { batch, workerEnd, api, whyFull }: BatchStatus, now: number): string {
  switch (step.why) {
    case 'unconfirmed':
      return CONFIRM_FIRST;
    case 'read-only':
      return step.advice;
    case 'loading':
      return `Not all of its rows are loaded yet. Continue with: ${commandLine(step.goOn)}`;
    case 'paused':
      return pauseWords(step.pause);
    case 'standstill': {
      const silentMs = api?.silence == null ? undefined : now - api.silence.since;
      const words = standstillWords(step.standstill, batch, { silentMs, whyFull });
      return step.standstill === 'no-worker' && workerEnd !== undefined
        ? `${lastEndWords(workerEnd, now)} ${words}`
        : words;
    }
    case 'deserted': {
      const why = workerEnd === undefined ? '' : `${lastEndWords(workerEnd, now)} `;
      return `It has no worker. ${why}Continue with: ${commandLine(step.goOn)}`;
    }
    case 'follow':
      return step.goOn === undefined
        ? `Follow it: ${commandLine(step.watch)}`
        : `Follow it: ${commandLine(step.watch)}. If it has no worker, continue with: ${commandLine(step.goOn)}`;
    case 'unwritten':
      return `Write its files with: ${commandLine(step.write)}`;
    default:
      return stepWords(step);
  }
}

/** Returns `The last worker ended 0:12 ago: The disk is full.` */
function lastEndWords({ at, reason }: NonNullable<BatchStatus['workerEnd']>, now: number): string {
  return `The last worker ended ${clock(now - at)} ago: ${sentence(oneLine(reason))}`;
}

function timesOf(batch: Batch, now: number): string {
  const span = workSpan(batch);
  if (span === undefined) return '';
  if (batch.closedAt === null) return `, ${span.isReopened ? 'opened again' : 'started'} ${clock(now - span.from)} ago`;
  return `, ended ${tookWords(span, batch.closedAt)}`;
}

/** Explains states that are not self-explanatory. */
const STATE_NOTES: Readonly<Partial<Record<RowState, string>>> = {
  blocked: ' (waiting for a voice or for their parts)',
};

/** Counts open rows by state: `40 blocked (waiting for a voice or for their parts), 8 submitting`. */
export function openWords({ states }: Pick<BatchStatus['counts'], 'states'>): string {
  const open = ROW_STATES.filter((state) => states[state] > 0);
  return open.map((state) => `${number(states[state])} ${state}${STATE_NOTES[state] ?? ''}`).join(', ');
}

/** Texts of `voxbatch status` that the HTML report shows as well; every command that writes a report passes them. */
export const REPORT_WORDS: ReportWords = {
  standing: stateWord,
  status: (status) => noteLines(status, Date.now()),
};
