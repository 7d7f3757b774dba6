import type { BatchSurvey } from '../contract/activities.ts';
import { lanesFor } from '../policy/lanes/share.ts';
import type { Dependencies } from './dependencies.ts';
import { loadBatch } from './cache/batch-cache.ts';

/**
 * Ends what a stopping batch has not sent, closes the batch if no row is open, and says how many lanes it can use now.
 * A paused batch can use lanes only for rows that were begun.
 */
export async function surveyBatch(deps: Dependencies, name: string): Promise<BatchSurvey> {
  const { apiUrl, account, control } = await loadBatch(deps, name);
  if (control === 'stopping') await deps.ledger.cancelRest(name);
  const open = await deps.ledger.closeBatch(name);
  if (open === 0) return { open, control, lanes: 0 };
  const workers = await deps.ledger.livingWorkers(apiUrl, account);
  const lanes = lanesFor(open, workers.length);
  if (control !== 'paused') return { open, control, lanes };
  const { states } = await deps.ledger.counts(name);
  return { open, control, lanes: open > states.waiting + states.blocked ? lanes : 0 };
}
