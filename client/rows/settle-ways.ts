import { stepsIn, type Step } from '../../contract/row-kinds.ts';
import type { LostRow, Made } from '../../batches/status/leftovers.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { rowArg, takeArg } from '../status/continue-command.ts';
import type { RowExplanation } from './explain.ts';
import { otherTakes, type PartsStep, type RowStep } from './row-steps.ts';

/**
 * What a person can decide about a row, named as the flags of `reconcile` and `redrive`. `adopt`: its lost request made
 * this job. `resubmit`: pay for it again. `accept`: the stored file is its result. `not-charged`: its earlier request
 * was not charged.
 */
export const SETTLE_WAYS = ['adopt', 'resubmit', 'accept', 'not-charged'] as const;
export type SettleWord = (typeof SETTLE_WAYS)[number];

/** A decision that a person can make about a row. */
export interface SettleWay {
  readonly way: SettleWord;
  /** The row, the part or the earlier take that it is about, as an argument of a command. */
  readonly row: string;
  /** The earlier take; null for the current one. */
  readonly take: number | null;
  /** For `adopt`: what the lost request creates, whose id the person gives. Otherwise null. */
  readonly makes: Exclude<Made, 'nothing'> | null;
  /** Quote of the request that may have been charged, in credits; null if there is none, or it had no quote. */
  readonly mayHaveCost: number | null;
  /** For `adopt`: later steps that the row continues with, and pays for, once it has that job. */
  readonly then: readonly Step[];
}

/** Lists the decisions that a person can make about a row, by its next steps. */
export function settleWays(history: RowExplanation): readonly SettleWay[] {
  const { row, next, unresolvedTakes } = history;
  if (next === undefined) return [];
  const earlier = unresolvedTakes.flatMap((one) => {
    const about = { row: takeArg(one, one.take), take: one.take };
    return [way('not-charged', history, one, about), way('adopt', history, one, { ...about, makes: 'job', then: [] })];
  });
  const back = row.outcome === null ? [] : otherTakes(history);
  return [
    ...(next.step.why === 'parts-lacking'
      ? next.step.steps.flatMap((some) => waysOf(some.why, some.rows.first, history))
      : waysOf(next.step.why, 'rows' in next.step ? next.step.rows.first : [row], history)),
    ...earlier,
    ...back.map((take) => way('accept', history, row, { row: takeArg(row, take), take, mayHaveCost: null })),
  ];
}

/** The decisions that fit a next step. */
function waysOf(why: (RowStep | PartsStep)['why'], rows: readonly LostRow[], history: RowExplanation): SettleWay[] {
  switch (why) {
    case 'lost':
      return rows.flatMap((row) => {
        const { makes = 'job' } = row;
        const resubmit = way('resubmit', history, row);
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

/** Builds a decision about `about`: the row itself or a part of it. */
function way(
  word: SettleWord,
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
  const then = word !== 'adopt' || lost === undefined ? [] : steps.slice(steps.indexOf(lost.step) + 1);
  return {
    ...{ way: word, row: rowArg(about), take, makes: null, mayHaveCost: lost?.quoted ?? null, then },
    ...facts,
  };
}
