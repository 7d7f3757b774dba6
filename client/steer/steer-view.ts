import { viewTunables } from '../look/tunables-view.ts';
import { shownControl } from '../../contract/outcomes.ts';
import type { Steered, Tuned } from './steer-batch.ts';

/** Views the result of `pause`, `resume` and `stop` for `--json`. */
export function viewSteered({ after, stillRunning }: Steered) {
  const { name, state, halted } = after;
  return { batch: name, state, control: shownControl(after), halted, ...stillRunning };
}

/** Views the result of `tune` for `--json`. */
export function viewTuned({ batch, money }: Tuned) {
  const { name, state, halted, settings } = batch;
  const { budget, budgetLeft } = money;
  return { batch: name, state, control: shownControl(batch), halted, ...viewTunables(settings), budget, budgetLeft };
}
