import { stepsIn, type Step } from '../../contract/row-kinds.ts';
import type { LostRow, Made } from '../../batches/status/leftovers.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { rowArg, takeArg } from '../status/continue-command.ts';
import type { RowExplanation } from './explain.ts';
import { otherTakes, type PartsStep, type RowStep } from './row-steps.ts';

/**
 * What a person can decide about a row, named like the flags of `reconcile` and `redrive`. `adopt`: the request whose
 * answer was lost created the job (or voice) that the person names. `resubmit`: pay for it again. `accept`: the stored
 * file is the row's result. `not-charged`: the request of an earlier take was not charged.
 */
type SettleKind = 'adopt' | 'resubmit' | 'accept' | 'not-charged';

/** A decision that a person can make about a row. */
export interface SettleWay {
  readonly way: SettleKind;
  /** The row, the part or the earlier take that it is about, as an argument of a command. */
  readonly row: string;
  /** The earlier take; null for the current one. */
  readonly take: number | null;
  /** For `adopt`: what the lost request created, whose id the person gives. Otherwise null. */
  readonly makes: Exclude<Made, 'nothing'> | null;
  /** Quote of the request that may have been charged, in credits; null if there is none, or its price was unknown. */
  readonly mayHaveCost: number | null;
  /** For `adopt`: later steps that the row continues with, and pays for, once it has that job. */
  readonly then: readonly Step[];
}

/**
 * Lists the decisions that a person can make about a row: those that its next step asks for, those about requests of
 * earlier takes that may have been charged, and going back to the result of another take.
 */
export function settleWays(history: RowExplanation): readonly SettleWay[] {
  const { row, next, unresolvedTakes } = history;
  if (next === undefined) return [];
  // The row has gone on without the answers to these, so none of them is paid for again.
  const earlier = unresolvedTakes.flatMap((one) => {
    const about = { row: takeArg(one, one.take), take: one.take };
    return [way('not-charged', history, one, about), way('adopt', history, one, { ...about, makes: 'job', then: [] })];
  });
  const takesWithResult = row.outcome === null ? [] : otherTakes(history);
  return [
    ...(next.step.why === 'parts-lacking'
      ? next.step.steps.flatMap((some) => waysOf(some.why, some.rows.first, history))
      : waysOf(next.step.why, 'rows' in next.step ? next.step.rows.first : [row], history)),
    ...earlier,
    ...takesWithResult.map((take) => way('accept', history, row, { row: takeArg(row, take), take, mayHaveCost: null })),
  ];
}

/**
 * The decisions that fit a next step, by its reason. `lost`: the answer of a paid request was lost. `unchecked`: the
 * same, but only the check of a stored result lacks its answer. `unfit`: the result failed a check.
 */
function waysOf(why: (RowStep | PartsStep)['why'], rows: readonly LostRow[], history: RowExplanation): SettleWay[] {
  switch (why) {
    case 'lost':
      return rows.flatMap((row) => {
        const { makes = 'job' } = row;
        const resubmit = way('resubmit', history, row);
        // The answer itself would have been the result, so nothing is left at the API to adopt.
        return makes === 'nothing' ? [resubmit] : [way('adopt', history, row, { makes }), resubmit];
      });
    case 'unchecked':
      return rows.flatMap((row) => [way('accept', history, row), way('resubmit', history, row)]);
    case 'unfit':
      return rows.map((row) => way('accept', history, row, { mayHaveCost: null }));
    default:
      return [];
  }
}

/** Builds a decision about `about`, which is the row itself or a part of it. `facts` override what is derived. */
function way(
  kind: SettleKind,
  { row: whole, charges }: RowExplanation,
  about: LostRow,
  facts: Partial<SettleWay> = {},
): SettleWay {
  const { take = null } = facts;
  const lost = charges.findLast(
    (one) =>
      one.state === 'unknown' &&
      one.row === about.row &&
      // A part has takes of its own.
      (take === null ? about.row !== whole.row || one.take === presentTake(whole) : one.take === take),
  );
  const steps = stepsIn(whole.spec);
  const then = kind !== 'adopt' || lost === undefined ? [] : steps.slice(steps.indexOf(lost.step) + 1);
  return {
    ...{ way: kind, row: rowArg(about), take, makes: null, mayHaveCost: lost?.quoted ?? null, then },
    ...facts,
  };
}
