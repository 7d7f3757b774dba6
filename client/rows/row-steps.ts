import { isRequestRemoved } from '../../batches/clean/cleaned-rows.ts';
import { isSingle } from '../../contract/batch.ts';
import { defaultOut } from '../../contract/batch-name.ts';
import type { RowHistory } from '../../batches/rows/explain.ts';
import { hasList, lacksOnlyCheck, madeBy, makerAwaited, type SomeRows } from '../../batches/status/leftovers.ts';
import { isUnknown } from '../../batches/rows/find-rows.ts';
import type { NamedRow } from '../../contract/row-parts.ts';
import { nextCommand, type NextCommand } from '../../contract/shell-word.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { NO_LINK } from '../../contract/result-member.ts';
import { linkOf, stepsIn, type Step, type StepChoice } from '../../contract/row-kinds.ts';
import { failedAsTooLong } from '../../contract/api-limits.ts';
import { budgetFor, budgetLeft } from '../../policy/money/budget.ts';
import { hasRunningJob } from '../../policy/rows/row-machine.ts';
import { resultOfTake, unfetchedOfTake } from '../../policy/redrive/earlier-take.ts';
import { jobToWaitFor, paysOnlyCheck } from '../../policy/redrive/redrive.ts';
import {
  failedFile,
  continueCommand,
  rowArg,
  rowsArg,
  takeArg,
  pauseOf,
  workCommand,
} from '../status/continue-command.ts';
import { cutAnew, editedAnew, settleCommands, uncheckedCommands } from '../status/next-steps.ts';

/** A row with the facts that determine its next step. */
export interface ExplainedRow extends Omit<RowHistory, 'files' | 'decisions' | 'firstPart'> {
  /** A restored ledger lacks its result, and the store has it. */
  readonly isStored: boolean;
  /** Whether the batch's default out folder has its current files. */
  readonly isWritten: boolean;
  /** True if the batch certainly has no worker. */
  readonly isDeserted: boolean;
  /** Its workers run elsewhere. */
  readonly isCluster: boolean;
}

/**
 * A row's next step, keyed by its reason `why`, with commands keyed by cost as in `NextStep`. Reasons that need an
 * explanation: `lost`: the answer to a paid request was lost; `unchecked`: only that of the transcription that checks
 * the result; `fetchable`: the result's link failed, but its job may still give it; `gone`: it does not;
 * `parts-lacking`: a row in parts has parts without a result, grouped by such reasons; `late`: an overdue part.
 */
export type RowStep = ReturnType<typeof stepOf>;
/** The step for one group of parts. */
export type PartsStep = Extract<RowStep, { readonly why: 'parts-lacking' }>['steps'][number];

/**
 * Next steps for a row's current state, and for earlier takes that may have been charged: undefined if there are none.
 */
export interface RowNext {
  readonly step: RowStep;
  readonly earlier:
    { readonly takes: readonly string[]; readonly free: NextCommand; readonly adopt: NextCommand } | undefined;
}

/** Determines a row's next steps: for its current state, and for earlier takes that may have been charged. */
export function nextForRow(history: ExplainedRow): RowNext {
  const takes = history.unresolvedTakes.map((one) => takeArg(one, one.take));
  const free = nextCommand('reconcile', history.batch.name, '--not-charged', ...takes);
  const adopt = nextCommand('reconcile', history.batch.name, '--adopt', `${takes[0] ?? ''}=JOB`);
  return { step: stepOf(history), earlier: takes.length === 0 ? undefined : { takes, free, adopt } };
}

/** A step with its reason and facts, typed by the reason. */
function step<W extends string, F = object>(why: W, facts?: F) {
  return { why, ...facts } as { readonly why: W } & F;
}

/** The step for the row's latest take. */
function stepOf(history: ExplainedRow) {
  const { batch, row, charges, parts, lost, needed, money, isWritten, isDeserted, isCluster } = history;
  if (isRequestRemoved(batch, row)) return step('removed');
  const { name } = batch;
  const redrive = redriveOf(history);
  const pay = redrive();
  const accept = (rowOrTake: string): NextCommand => nextCommand('redrive', name, '--accept', rowOrTake);
  const tune = (...args: readonly string[]): NextCommand => nextCommand('tune', name, ...args);
  if (row.parts !== null && ['unknown', 'overdue', 'failed'].includes(row.outcome ?? ''))
    return parts.some(({ outcome }) => !hasResult(outcome))
      ? partsLacking(history)
      : step('parts-there', { free: pay });
  if (lost?.isFree === true) return step('file-lost-free', { free: redrive('--damaged') });
  // For a lost unfit result, nobody has asked for a replacement.
  if (lost !== null && row.outcome !== 'unfit') return step('file-lost', { pay: redrive('--damaged') });
  switch (row.outcome) {
    case 'succeeded':
    case 'cached': {
      const take = otherTakes(history)
        .toSorted((a, b) => a - b)
        .at(-1);
      return step('done', {
        write: isWritten ? undefined : nextCommand('results', name),
        pay,
        // Returns the row to an earlier take's result.
        back: take === undefined ? undefined : { take, free: accept(takeArg(row, take)) },
      });
    }
    case 'failed':
      return afterFailure(history);
    case 'unknown':
      return afterLoss(history);
    case 'overdue':
      return step('overdue', { free: pay, pay: redrive('--resubmit') });
    case 'skipped': {
      if (history.isStored) return step('stored', { free: nextCommand('reconcile', name) });
      if (row.failure?.class === 'NotChosen')
        return step('not-chosen', { pay, all: continueCommand({ ...batch, subset: null }) });
      if (row.failure?.class === 'NotCached')
        return step('not-cached', { before: batch.settings.cache === 'only' ? tune('--cache', 'on') : undefined, pay });
      // Its request did not fit the budget; there may be room by now.
      const left = budgetLeft(money, batch.settings.budget);
      const isEnough = left === null || (needed !== null && left >= needed);
      const enough = needed === null ? 'CREDITS' : String(budgetFor(money, needed));
      return step('over-budget', { before: isEnough ? undefined : tune('--budget', enough), pay });
    }
    case 'unfit':
      return step('unfit', { free: accept(rowArg(row)), pay, paysOnlyCheck: paysOnlyCheck(row, charges) });
    case 'cancelled':
      return step('cancelled', { pay });
    case null:
      if (batch.control === 'paused') return step('paused', { pause: pauseOf(batch, { isDeserted, isCluster }) });
      if (row.state !== 'blocked' || isDeserted)
        return isDeserted
          ? step('deserted', { goOn: workCommand(batch, isCluster) })
          : step('running', { goOn: workCommand(batch, isCluster), job: jobInWork(history) });
      return step(row.parts === null ? 'blocked' : 'in-parts');
  }
}

/**
 * The deadline of an open row's running job, and the commands that give it up earlier: `stop` abandons all jobs of the
 * batch, because no command gives up a single row, and `fetch` waits for them again. Undefined if no job is running.
 */
function jobInWork({ batch, row, charges }: Pick<ExplainedRow, 'batch' | 'row' | 'charges'>) {
  const running = charges.findLast(hasRunningJob);
  if (running === undefined) return undefined;
  const waitedSince = Math.max(row.waitSince ?? 0, running.verdictAt ?? running.intentAt);
  return {
    deadline: waitedSince + batch.settings.jobDeadlineMs,
    stop: nextCommand('stop', batch.name, '--now'),
    fetch: nextCommand('redrive', batch.name, '--where', 'outcome=overdue'),
  };
}

/** Returns a function that builds redrive commands for the row. */
function redriveOf({ batch: { name }, row }: Pick<ExplainedRow, 'batch' | 'row'>) {
  return (...args: readonly string[]): NextCommand => nextCommand('redrive', name, '--rows', rowArg(row), ...args);
}

/** Lists the other takes whose result the row could return to. */
export function otherTakes({ row, charges, takes }: Omit<RowHistory, 'files' | 'decisions'>): readonly number[] {
  if (row.parts !== null) return [];
  // Takes before the last edit of the row's input have results of another input.
  const edited = takes.findLast(({ before }) => before.spec !== undefined)?.take ?? 1;
  return [...new Set(charges.map(({ take }) => take))].filter((take) => {
    const made = resultOfTake(row.spec, charges, take) ?? unfetchedOfTake(row, charges, take);
    const isOther = made !== undefined && made.file?.key !== row.file?.key;
    return take >= edited && isOther && made.file?.removedAt === undefined;
  });
}

/** The step for a row whose answer was lost: its job may exist, and the API may list it. */
function afterLoss(history: ExplainedRow) {
  const { batch, row } = history;
  const { tts } = batch.settings;
  const place = [batch.name];
  const rows = { count: 1, first: [{ ...row, makes: madeBy(history, tts) }] };
  if (lacksOnlyCheck(history)) return step('unchecked', uncheckedCommands(rows, place));
  // Undefined if the API has no list to look it up in.
  const look = hasList(history, tts) ? nextCommand('reconcile', ...place) : undefined;
  return step('lost', { rows, look, ...settleCommands(rows, place) });
}

/** The step for a failed row, by its class of failure. */
function afterFailure(history: ExplainedRow) {
  const { batch, row, charges, failedRows } = history;
  const { failure, spec, partOf } = row;
  const redrive = redriveOf(history);
  const pay = redrive();
  // Holds the failed rows, and others too if failures are mixed.
  const { file, sheet } = failedFile(batch, defaultOut(batch.name));
  const isMixed = failedRows > 1;
  switch (failure?.class) {
    case 'ResultGone':
      if (jobToWaitFor(row, charges) === undefined) return step('gone', { pay });
      return step('fetchable', {
        free: pay,
        pay: redrive('--resubmit'),
        steps: linkedSteps(spec),
        // The answer may have the link under another name.
        isLinkUnknown: failure.cause === NO_LINK,
      });
    case 'OutcomeUnknown':
      return afterLoss(history);
    case 'BadRequest':
      if (failedAsTooLong(row)) return step('too-long', { anew: cutAnew(batch) });
      if (partOf !== null) return step('refused-part', { anew: editedAnew(batch), pay });
      if (isSingle(batch)) return step('refused-job', { pay });
      return step('refused', { file, isMixed, pay: nextCommand('run', file, ...sheet) });
    case 'NoVoice': {
      const maker = makerAwaited(history);
      if (maker === undefined) return step('voice-there', { pay });
      return step('voiceless', {
        maker,
        explain: nextCommand('explain', String(maker), '--batch', batch.name),
      });
    }
    default:
      if (partOf !== null) return step('failed-part', { pay });
      if (isSingle(batch)) return step('failed-job', { pay });
      return step('failed', {
        pay,
        file,
        isMixed,
        edited: nextCommand('redrive', batch.name, '--from', file, ...sheet),
      });
  }
}

/** The steps whose results later steps use by their links, such as the speech of a `dub`. */
function linkedSteps(row: StepChoice): readonly Step[] {
  return [...new Set(stepsIn(row).flatMap((step) => linkOf(row.kind, step)?.of ?? []))];
}

type Part = RowHistory['parts'][number];

const isUncheckedPart = (part: Part): boolean => part.isUnchecked;
const isFetchablePart = (part: Part): boolean => part.isFetchable;
const isOverduePart = (part: Part): boolean => part.outcome === 'overdue';
const isUnfitPart = (part: Part): boolean => part.outcome === 'unfit';

/**
 * The steps for a row in parts that ended without a result: for its parts in doubt, those whose jobs still run, and all
 * others without a result.
 */
function partsLacking({ batch, row, parts }: ExplainedRow) {
  const place = [batch.name];
  const lacking = parts.filter(({ outcome }) => !hasResult(outcome));
  const redrive = (flag: string, rows: readonly NamedRow[]): NextCommand => {
    return nextCommand('redrive', ...place, flag, rowsArg(rows));
  };
  /** Naming the row is a shorthand for all its missing parts. */
  const only = ({ count, first }: SomeRows): readonly NamedRow[] => (count < lacking.length ? first : [row]);
  let rest = lacking;
  /** The step for the parts of a group, without those that an earlier step has. */
  const some = <W extends string, F>(
    why: W,
    isInGroup: (part: Part) => boolean,
    facts: (rows: SomeRows) => F,
  ): readonly ({ why: W; rows: SomeRows } & F)[] => {
    const group = rest.filter(isInGroup);
    rest = rest.filter((part) => !group.includes(part));
    const rows = { count: group.length, parts: group.length, first: group };
    return group.length === 0 ? [] : [{ why, rows, ...facts(rows) }];
  };
  const fetch = ({ first }: SomeRows) => ({ free: redrive('--rows', first) });
  const pay = (rows: SomeRows) => ({ pay: redrive('--rows', only(rows)) });
  const isTooLong = (part: Part): boolean => part.outcome === 'failed' && failedAsTooLong({ ...part, spec: row.spec });
  const isRefused = ({ outcome, failure }: Part): boolean => outcome === 'failed' && failure?.class === 'BadRequest';
  const steps = [
    ...some('unchecked', isUncheckedPart, (rows) => uncheckedCommands(rows, place)),
    ...some('lost', isUnknown, (rows) => settleCommands(rows, place)),
    ...some('late', isOverduePart, fetch),
    ...some('gone', isFetchablePart, fetch),
    ...some('unfit', isUnfitPart, (rows) => ({ free: redrive('--accept', only(rows)), ...pay(rows) })),
    ...some('too-long', isTooLong, () => ({ anew: cutAnew(batch) })),
    ...some('refused', isRefused, (rows) => ({ anew: editedAnew(batch), ...pay(rows) })),
    ...some('others', () => true, pay),
  ];
  return step('parts-lacking', { steps, areSomeThere: lacking.length < parts.length });
}
