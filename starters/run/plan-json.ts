import { doneOf } from '../../client/look/counts-view.ts';
import type { PlanView } from '../../client/run/plan-view.ts';
import { snakeCase } from '../../contract/snake-case.ts';
import { dialectChoiceOf } from '../../contract/batch.ts';
import { roundCredits } from '../../contract/price-units.ts';
import { refusalText } from '../terminal/spend-words.ts';
import { reasonsJson } from '../terminal/reason-words.ts';
import { tunablesJson } from '../terminal/tunable-words.ts';
import type { UnconfirmedConfig } from '../../client/trust/folder-config.ts';

type BillLine = PlanView['bill']['total'];

/** The plan for machines. Money in credits, sizes in bytes. */
export function planJson(view: PlanView, unconfirmed?: UnconfirmedConfig): object {
  const { manifest, plan, settings, summary, bill, balance, disk, decision, planned } = view;
  const { kinds, total } = bill;
  const lineJson = ({ rows, requests, free, quoted, isEstimate, unpriced, assumed }: BillLine): object => {
    return { rows, requests, free, credits: quoted, estimated: isEstimate, unpriced, assumed };
  };
  return {
    batch: plan.name,
    manifest,
    manifest_digest: summary.digest,
    out: plan.out,
    api_dialect: dialectChoiceOf(settings),
    legacy_rows: total.legacy,
    ...lineJson(total),
    not_chosen: view.rows - view.chosen,
    reasons: planned.type === 'known' ? null : reasonsJson(planned.reasons),
    compared: planned.type === 'known' || planned.isCompared,
    existing: existingJson(view),
    kinds: Object.fromEntries(kinds.map((line) => [line.kind, lineJson(line)])),
    prices: Object.fromEntries(view.prices),
    unpriced_rows: summary.unpricedRows.first,
    not_probed: { count: summary.notProbed.count, rows: summary.notProbed.first },
    balance: 'credits' in balance ? balance.credits : null,
    balance_after: 'credits' in balance ? roundCredits(balance.credits - total.quoted) : null,
    balance_unknown: 'why' in balance ? balance.why : null,
    affordable: summary.affordable && { rows: summary.affordable.rows, credits: summary.affordable.quoted },
    disk: { bytes: summary.disk.bytes, free: disk.free, estimate: true, rows_unknown: summary.disk.unknown },
    run: planned.type === 'taken' ? 'refuse' : decision.type,
    refusal: decision.type === 'refuse' ? refusalText(decision.why, view.facts) : null,
    ...tunablesJson(settings),
    unconfirmed: unconfirmed === undefined ? null : Object.keys(unconfirmed.members),
    columns: summary.columns,
    waits: view.awaited.map((row) => snakeCase(row)),
    warnings: summary.warnings,
    problems: [],
  };
}

/** The batch that has the name already; null if there is none. */
function existingJson({ planned, counts }: PlanView): object | null {
  const done = counts === undefined ? null : doneOf(counts);
  switch (planned.type) {
    case 'new':
      return null;
    case 'taken': {
      const { batch, differs } = planned.name;
      return { batch: batch.name, state: batch.state, differs, done };
    }
    case 'known': {
      const { batch, left, enough } = planned;
      const { rows: over, quoted: credits } = left.overBudget;
      const over_budget = over === 0 ? null : { rows: over, credits, enough };
      const rows = { done, left: left.rows, newly_chosen: left.newlyChosen, under_way: left.underWay, over_budget };
      return { batch: batch.name, state: batch.state, differs: null, ...rows };
    }
  }
}
