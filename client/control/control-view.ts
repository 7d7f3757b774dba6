import { viewTunables } from './tunables-view.ts';
import { shownControl } from '../../contract/outcomes.ts';
import type { ControlResult, Tuned } from './control-batch.ts';

/**
 * Views the result of `pause`, `resume` and `stop` for `--json`. `halted`: why the batch gave up by itself, or null;
 * after a stop also what still runs at the API.
 */
export function viewControlResult({ after, stillRunning }: ControlResult) {
  const { name, state, halted } = after;
  return { batch: name, state, control: shownControl(after), halted, ...stillRunning };
}

/** Views the result of `tune` for `--json`. */
export function viewTuned({ batch, money }: Tuned) {
  const { name, state, halted, settings } = batch;
  const { budget, budgetLeft } = money;
  return { batch: name, state, control: shownControl(batch), halted, ...viewTunables(settings), budget, budgetLeft };
}
