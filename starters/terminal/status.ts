import { defaultOut } from '../../batches/batch-name.ts';
import { dialectChoiceOf } from '../../contract/batch.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { isOwed, type HookTarget } from '../../contract/hooks.ts';
import { snakeCase } from '../../contract/snake-case.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { exitWhileOwed } from '../../policy/exit-of.ts';
import type { NoticeRecord } from '../../ledger/notices.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { WorkerEnd } from '../../ledger/workers.ts';
import { isoTime } from '../../results/receipt.ts';
import { CONFIRM_FIRST } from '../trust/stranger-words.ts';
import { pauseMessage } from './pause-words.ts';
import { goOnCommand } from './go-on-command.ts';
import type { LocalView } from '../look/view-here.ts';
import { exitOfView } from '../../batches/look/view-batch.ts';
import { dialectWords } from './dialect-words.ts';
import { budgetJson, damagedLines, moneyWords } from './money.ts';
import { haltMessage, nextSteps } from './next-steps.ts';
import { endsOf } from './outcome-words.ts';
import { chosenOf, clock, doneOf, reasonWords, untoldWords } from './progress.ts';
import { number } from './words.ts';
import { standstillWords } from './standstill-words.ts';
import { namedRow, rowsInWords } from './row-words.ts';
import type { FailureGroup } from '../../batches/look/failure-groups.ts';
import type { Leftovers } from '../../batches/look/leftovers.ts';
import { oneLine } from './table.ts';
import { tunablesJson } from './tunable-words.ts';
import { openWords } from './voice-words.ts';

/** What went wrong in a batch. */
export interface Troubles {
  /** The most frequent reasons for rows without a result. */
  readonly groups: readonly FailureGroup[];
  readonly leftovers: Leftovers;
  /** Past and future deliveries of `--on-end` and `--notify`. Default: none. */
  readonly notices?: readonly NoticeRecord[];
  /** The batch's usual out folder has its current files. If absent: unknown. */
  readonly isWritten?: boolean;
}

/** One word for the state of a batch. */
export function standingOf(batch: BatchRecord, isDeserted = false): string {
  if (batch.state === 'loading') return 'loading';
  if (batch.halted !== null) return batch.state === 'closed' ? 'halted' : 'halting';
  if (batch.state === 'closed') return 'finished';
  return isDeserted && batch.control === 'running' ? 'open' : batch.control;
}

/** Status of a batch, in a few lines. */
export function statusLines(view: LocalView, troubles: Troubles, now: number): readonly string[] {
  const { batch, counts, money, reasons } = view;
  const { groups } = troubles;
  const lines = [
    `Batch "${batch.name}": ${standingOf(batch, view.isDeserted)}, ${number(doneOf(counts))} of ${rowsInWords(chosenOf(counts))} done${timesOf(batch, now)}`,
    `  account ${batch.account}, ${batch.apiUrl}${dialectWords(batch.settings)}, from ${oneLine(batch.source)}`,
  ];
  const count = (rows: number, word: string): string => `${number(rows)} ${word}`;
  const ended = endsOf(counts);
  if (ended.length > 0) lines.push(`  ended: ${ended.map(([word, rows]) => count(rows, word)).join(', ')}`);
  const open = openWords(counts);
  if (open !== '') lines.push(`  not ended: ${open}`);
  lines.push(`  credits: ${moneyWords(money, batch.settings.budget)}`);
  const { untold = [] } = view;
  if (untold.length > 0) lines.push(`  ${untoldWords(untold)}: prices are estimates, and the budget must hold`);
  lines.push(...damagedLines(money).map((line) => `  ${line}`));
  for (const group of groups) {
    const first = namedRow({ row: group.firstRow, id: group.firstId });
    lines.push(
      `  ${number(group.rows)} × ${group.class}${group.rows === 1 ? '' : ', first'} in ${first}: ${oneLine(group.message)}`,
    );
  }
  // If the groups were not read, the reasons of ended rows have not been printed yet.
  const shown =
    groups.length === 0 ? reasons : reasons.flatMap((reason) => (reason.open > 0 ? [{ ...reason, ended: 0 }] : []));
  lines.push(
    ...shown.map((reason) => `  ${reasonWords(reason)}${reason.ended === 0 ? ', in rows that still run' : ''}`),
  );
  lines.push(...cleanedLines(batch));
  lines.push(...(troubles.notices ?? []).flatMap((notice) => noticeLines(notice, view, now)));
  // A ledger may be a stranger's: whatever it holds, no line of it begins another.
  return [...lines, ...nextLines(view, troubles).map((line) => `  ${line}`)].map(oneLine);
}

/** What was removed of a batch. */
function cleanedLines({ name, cleaned }: BatchRecord): readonly string[] {
  const { media, rows, unfinished } = cleaned;
  return [
    ...(media === null ? [] : [`  its media were removed from the store at ${isoTime(media)}`]),
    ...(rows === null ? [] : [`  what its rows asked for was removed at ${isoTime(rows)}`]),
    ...(unfinished === null
      ? []
      : [`  a clean was cut off. Finish it: voxbatch clean ${shellWord(name)} ${cleanFlag(unfinished)}`]),
  ];
}

function cleanFlag({ media, rows }: CleanParts): string {
  return media && rows ? '--all' : media ? '--media' : '--rows';
}

/** A hook that is still to be told, or has failed so far, or for good. */
function noticeLines(notice: NoticeRecord, { batch, isStranger }: LocalView, now: number): readonly string[] {
  const { target, event, trouble, endedAt, dueAt } = notice;
  const flag = flagOfHook(target);
  if (isOwed(notice)) {
    const command = isStranger ? '' : ` Tell it with: ${goOnCommand(batch)}`;
    return [`  ${flag} (${event}) is still to be told.${command}`];
  }
  if (trouble === null) return [];
  const next =
    endedAt === null
      ? `next try in ${clock(Math.max(0, dueAt - now))}, while a worker is running (voxbatch up)`
      : 'given up';
  return [`  ${flag} (${event}) failed: ${trouble}; ${next}`];
}

/** What to do next. */
function nextLines(
  { batch, counts, money, isDeserted, standstill, workerEnd, isStranger }: LocalView,
  { leftovers, isWritten = false }: Troubles,
): readonly string[] {
  if (isStranger) return [CONFIRM_FIRST];
  const name = shellWord(batch.name);
  if (batch.state === 'loading') return [`Not all of its rows are loaded yet. Continue with: ${goOnCommand(batch)}`];
  if (batch.state === 'open') {
    if (batch.control === 'paused') return [pauseMessage(batch, { isDeserted })];
    const follow = isDeserted
      ? `It has no worker. ${workerEnd === undefined ? '' : `${workerEndWords(workerEnd)} `}Continue with: ${goOnCommand(batch)}`
      : `Follow it: voxbatch watch ${name}. If it has no worker, continue with: ${goOnCommand(batch)}`;
    const halted = batch.halted === null ? [] : [haltMessage(batch.halted)];
    if (standstill === undefined) return [...halted, follow];
    const words = standstillWords(standstill, batch);
    return standstill === 'no-worker' ? [...halted, words] : [...halted, words, follow];
  }
  // The workers may have written none: those of a cluster do not.
  const files = isWritten ? [] : [`Write its files with: voxbatch results ${name}`];
  return [...nextSteps({ batch, counts, money, leftovers, out: defaultOut(batch.name) }), ...files];
}

/** Why there is no worker any more. */
function workerEndWords({ at, reason }: WorkerEnd): string {
  return `The last one ended at ${isoTime(at)}: ${oneLine(reason)}`;
}

function timesOf(batch: BatchRecord, now: number): string {
  const span = workSpan(batch);
  if (span === undefined) return '';
  if (batch.closedAt === null) return `, ${span.isReopened ? 'opened again' : 'started'} ${clock(now - span.from)} ago`;
  return `${span.isReopened ? ', the last ones' : ''} in ${clock(batch.closedAt - span.from)}`;
}

/**
 * When the present work on a batch began, ms: with its first request, or when it was last opened again, so that the days
 * in between do not count. Undefined: it has not begun.
 */
export function workSpan({
  startedAt,
  reopenedAt,
}: Pick<BatchRecord, 'startedAt' | 'reopenedAt'>): { readonly from: number; readonly isReopened: boolean } | undefined {
  if (startedAt === null) return undefined;
  const isReopened = reopenedAt !== null && reopenedAt > startedAt;
  return { from: isReopened ? reopenedAt : startedAt, isReopened };
}

/** The exit code of a batch whose hooks count as well. */
export function exitWithHooks(view: LocalView, notices: readonly NoticeRecord[]): ExitName {
  const exit = exitOfView(view);
  return view.batch.state === 'closed' && notices.some(isOwed) ? exitWhileOwed(exit) : exit;
}

/** The same for machines; fields are named as in `summary.json`. */
export function statusJson(
  view: LocalView,
  groups: readonly FailureGroup[],
  notices: readonly NoticeRecord[] = [],
): object {
  const { batch, counts, workerEnd } = view;
  return {
    ...batchJson(view),
    states: counts.states,
    failures: groups.map(({ firstRow, firstId, ...group }) => ({ ...group, first_row: firstRow, first_id: firstId })),
    ...tunablesJson(batch.settings),
    reasons: view.reasons,
    pause_reason: batch.pauseReason,
    deserted: view.isDeserted,
    hooks: notices.filter(({ endedAt }) => endedAt === null).map(hookJson),
    worker_end: workerEnd === undefined ? null : { at: isoTime(workerEnd.at), reason: workerEnd.reason },
  };
}

/** A hook that is not told yet; with a `trouble` it is tried again. */
function hookJson({ target, event, trouble, dueAt }: NoticeRecord): object {
  return snakeCase({ hook: flagOfHook(target), event, trouble, dueAt: new Date(dueAt) });
}

function flagOfHook(target: HookTarget): string {
  return target === 'command' ? '--on-end' : '--notify';
}

/** The facts of a batch that `list` and `status` share. */
export function batchJson(view: LocalView): object {
  const { batch, counts, money } = view;
  const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  return {
    batch: batch.name,
    state: batch.state,
    control: batch.control,
    exit: exitOfView(view),
    rows: counts.total,
    done: doneOf(counts) + counts.notChosen,
    not_chosen: counts.notChosen,
    outcomes: counts.outcomes,
    credits: money,
    ...budgetJson(money, batch.settings.budget),
    halted: batch.halted,
    source: batch.source,
    single: batch.settings.single ?? null,
    manifest_digest: batch.digest,
    api: batch.apiUrl,
    api_dialect: dialectChoiceOf(batch.settings),
    account: batch.account,
    created_at: time(batch.createdAt),
    started_at: time(batch.startedAt),
    ended_at: time(batch.closedAt),
    media_removed_at: time(batch.cleaned.media),
    rows_removed_at: time(batch.cleaned.rows),
  };
}
