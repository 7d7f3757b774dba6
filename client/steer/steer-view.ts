import { viewTunables } from '../look/tunables-view.ts';
import type { Steered, Tuned } from './steer-batch.ts';

/** A steered batch for programs. */
export function viewSteered({ after: { name, state, control, halted }, stillRunning }: Steered) {
  return { batch: name, state, control, halted, ...stillRunning };
}

/** A batch's settings for programs. */
export function viewTuned({ batch: { name, state, control, halted, settings }, money }: Tuned) {
  const { budget, budgetLeft } = money;
  return { batch: name, state, control, halted, ...viewTunables(settings), budget, budgetLeft };
}
