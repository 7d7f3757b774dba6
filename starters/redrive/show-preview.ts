import type { RedrivePreview } from '../../client/redrive/redrive.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { snakeCase } from '../../contract/snake-case.ts';
import type { Invocation } from '../invocation.ts';
import { questionsOf } from '../person.ts';
import { noteText } from '../terminal/spend-words.ts';
import { draftLines, leftBudgetRefusal } from './redrive-words.ts';

type Ready = Extract<RedrivePreview, { readonly type: 'ready' }>;

/** `redrive --dry-run`: says what the redrive would do and cost, and whether it would ask or refuse. */
export function showPreview(
  { forecast, facts, notes, asks: about, refusal: why }: Ready,
  batch: string,
  { output, json }: Pick<Invocation, 'output' | 'json'>,
): ExitName {
  const refusal = why === undefined ? undefined : leftBudgetRefusal(batch, false)(why, facts);
  const asks = questionsOf({ facts, about });
  if (json) {
    const { count: rows, parts, paying, bill, waits, accepts, returns, left, replaced, lost } = forecast;
    const price = { paying, credits: bill.quoted, estimated: forecast.isEstimate, unpriced: bill.unpriced };
    const leftOut = { open: left.open, hasResult: left['has-result'], noUnfit: left['no-unfit'] };
    const doubts = { replaced, lost, mayBeChargedTwice: forecast.resubmitted, asks };
    const rest = { leftOut, ...doubts, budgetLeft: facts.budget, refusal: refusal ?? null };
    output.data(JSON.stringify(snakeCase({ batch, rows, parts, ...price, waits, accepts, returns, ...rest })));
  } else {
    for (const line of draftLines(forecast, batch)) output.data(line);
    for (const note of notes) output.data(noteText(note, facts));
    for (const question of asks) output.data(`redrive asks for confirmation: ${question} (--yes confirms)`);
    if (refusal !== undefined) output.data(`redrive refuses this (exit code 3):\n${refusal}`);
  }
  if (refusal === undefined && forecast.count > 0)
    output.say('Nothing was changed, nothing was spent. To do it, run the same command without --dry-run.');
  return 'complete';
}
