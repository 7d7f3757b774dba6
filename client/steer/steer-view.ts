import { viewTunables } from '../look/tunables-view.ts';
import { shownControl } from '../../contract/outcomes.ts';
import type { Steered, Tuned } from './steer-batch.ts';

/** A steered batch for programs. */
export function viewSteered({ after, stillRunning }: Steered) {
  const { name, state, halted } = after;
  return { batch: name, state, control: shownControl(after), halted, ...stillRunning };
}

/** A batch's settings for programs. */
export function viewTuned({ batch, money }: Tuned) {
  const { name, state, halted, settings } = batch;
  const { budget, budgetLeft } = money;
  return { batch: name, state, control: shownControl(batch), halted, ...viewTunables(settings), budget, budgetLeft };
}
