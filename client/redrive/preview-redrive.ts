import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { type SpendDecision, decideSpend } from '../../policy/money/spend.ts';
import type { Person } from '../person.ts';
import type { Session } from '../session.ts';
import { withPlan, confirmAboveOf, redriveFacts, isDoubtful } from './plan-redrive.ts';
import type { RedriveRequest, OnRedriveEvent, RedrivePreview } from './redrive-options.ts';

/**
 * Reports what a redrive would do and whether it would ask. Reads only the ledger, the store and the file, not the
 * account's balance. Changes nothing.
 */
export async function previewRedrive(
  session: Session,
  batch: BatchRecord,
  request: RedriveRequest,
  { yes }: Person,
  onEvent: OnRedriveEvent = () => undefined,
): Promise<RedrivePreview> {
  return withPlan<RedrivePreview>(session, batch, request, { onEvent, isPreview: true }, async ({ draft }) => {
    if (draft.refusal !== undefined) return { type: draft.refusal, forecast: draft };
    // As if a person could be asked, to report the question.
    const payer = { yes, canAsk: true, balance: null, confirmAbove: confirmAboveOf(session, request) };
    const facts = await redriveFacts(await session.ledger(), batch, draft, request.tuning, payer);
    const decision: SpendDecision = draft.paying > 0 ? decideSpend(facts) : { type: 'go', notes: [] };
    return {
      type: 'ready',
      forecast: draft,
      facts,
      notes: decision.notes,
      asks: [
        ...(decision.type === 'ask' ? (['bill'] as const) : []),
        ...(isDoubtful(draft) && !yes ? (['doubts'] as const) : []),
      ],
      ...(decision.type === 'refuse' && { refusal: decision.why }),
    };
  });
}
