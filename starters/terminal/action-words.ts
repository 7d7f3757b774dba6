import { isoTime } from '../../contract/times.ts';
import { ACTION_WORDS } from '../../contract/actions.ts';
import type { viewAction } from '../../client/history/history-view.ts';
import { inCredits } from './money.ts';
import { clipped, oneLine } from './table.ts';
import { flagOf } from './tunable-words.ts';
import { plural, rowsInWords } from './words.ts';

/** An action as `voxbatch history --json` has it. */
export type ActionView = ReturnType<typeof viewAction>;

/** Characters of a reason that are shown; `--json` has all. */
const MAX_REASON = 200;

/** Formats an action of the history: `2026-12-01T02:00:00Z, ann@host: pause (the new voices are bad)`. */
export function actionLine(action: ActionView): string {
  const { at, who, by, reason } = action;
  const details = detailsOf(action);
  const actor = by === 'schedule' ? `schedule ${who}` : by === 'voxbatch' ? 'by itself' : who;
  return `${isoTime(at.getTime())}, ${oneLine(actor)}: ${kindOf(action)}${details.length === 0 ? '' : `, ${details.join(', ')}`}${whyWords(reason)}`;
}

/** Formats a reason: ` (the new voices are bad)`; empty if none was given. */
export function whyWords(reason: string | null): string {
  return reason === null ? '' : ` (${clipped(reason, MAX_REASON)})`;
}

/** Returns an action's kind as `--kind` takes it, with dashes; one that this version does not know stays as it is. */
function kindOf({ what }: ActionView): string {
  const kind = what.replaceAll('_', '-');
  return kind in ACTION_WORDS ? kind : what;
}

function detailsOf(action: ActionView): readonly string[] {
  const { rows, credits, budget, changed = [], now, jobId, removed, results, from, to } = action;
  return [
    ...(now === true ? ['at once'] : []),
    ...(rows === null ? [] : [rowsInWords(rows)]),
    ...changed.map(({ setting, from: was, to: is }) => `${flagOf(setting)} ${was} to ${is}`),
    ...(jobId == null ? [] : [`job ${oneLine(jobId)}`]),
    ...(removed ?? []).map((part) => `its ${part}`),
    ...(results === undefined ? [] : [plural(results, 'result')]),
    ...(from === undefined || to === undefined ? [] : [`${isoTime(from.getTime())} to ${isoTime(to.getTime())}`]),
    ...(credits === undefined ? [] : [`at a price of ${inCredits(credits)}`]),
    ...(budget == null ? [] : [`with a budget of ${inCredits(budget)}`]),
  ];
}
