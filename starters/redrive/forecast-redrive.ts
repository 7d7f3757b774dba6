import { redriveFacts } from '../../client/redrive/redrive-batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { decideSpend } from '../../policy/money/spend.ts';
import type { Invocation } from '../invocation.ts';
import { noteText, questionText } from '../terminal/spend-words.ts';
import { refusedRedrive, type RedriveRequest } from './redrive-rows.ts';
import { doubtsQuestion, draftLines, leftBudgetRefusal } from './redrive-words.ts';

/**
 * `redrive --dry-run`: says what the redrive would do and cost, and whether it would ask or refuse. It reads the ledger and the file alone:
 * the account's balance is not asked for. Changes nothing, spends nothing. Throws {@link ExitError} `usage` for rows that cannot be redriven.
 */
export async function forecastRedrive(
  request: RedriveRequest,
  { session, person, output, json }: Invocation,
): Promise<ExitName> {
  const { batch, draft, confirmAbove } = request;
  if (draft.refusal !== undefined) throw refusedRedrive(draft.refusal, request);
  const ledger = await session.ledger();
  const payer = { yes: person.yes, canAsk: true, balance: null, confirmAbove };
  const facts = { ...(await redriveFacts({ ...request, ledger }, payer)), isBudgetLeft: true };
  const decision = draft.paying > 0 ? decideSpend(facts) : ({ type: 'go', notes: [] } as const);
  const refusal =
    decision.type === 'refuse'
      ? leftBudgetRefusal(batch, await ledger.money(batch.name), request.tuning)(decision.why, facts)
      : undefined;
  const questions = [
    ...(decision.type === 'ask' ? [questionText(facts)] : []),
    ...(person.yes ? [] : [doubtsQuestion(draft) ?? []].flat()),
  ];
  if (json) {
    const {
      count: rows,
      parts,
      paying,
      bill,
      isEstimate: estimated,
      waits,
      accepts,
      returns,
      left,
      replaced,
      lost,
      resubmitted,
    } = draft;
    const price = { paying, credits: bill.quoted, estimated, unpriced: bill.unpriced };
    const leftOut = { open: left.open, has_result: left['has-result'], no_unfit: left['no-unfit'] };
    const doubts = { replaced, lost, may_be_charged_twice: resubmitted, asks: questions };
    const said = { left_out: leftOut, ...doubts, budget_left: facts.budget, refusal: refusal ?? null };
    output.data(JSON.stringify({ batch: batch.name, rows, parts, ...price, waits, accepts, returns, ...said }));
  } else {
    for (const line of draftLines(draft, batch.name)) output.data(line);
    for (const note of decision.notes) output.data(noteText(note, facts));
    for (const question of questions) output.data(`redrive asks for confirmation: ${question} (--yes confirms)`);
    if (refusal !== undefined) output.data(`redrive refuses this (exit code 3):\n${refusal}`);
  }
  if (refusal === undefined && draft.count > 0)
    output.say('Nothing was changed, nothing was spent. To do it, run the same command without --dry-run.');
  return 'complete';
}
