import { expect, it } from '@jest/globals';
import { OUTCOMES, ROW_STATES } from '../../../contract/outcomes.ts';
import { familiesOf, prometheusText } from '../../../client/metrics/gauge-families.ts';
import type { BatchGauges } from '../../../ledger/metrics/batch-gauges.ts';

const zero = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

const GAUGES: BatchGauges = {
  batch: 'lines',
  state: 'paused',
  pausedBy: 'OutOfCredits',
  counts: {
    total: 10,
    notChosen: 3,
    notCached: 0,
    states: { ...zero(ROW_STATES), waiting: 2 },
    outcomes: { ...zero(OUTCOMES), succeeded: 4, skipped: 4 },
  },
  money: { charged: 12.5, reserved: 2, uncertain: 0, saved: 1, estimated: false, damaged: 0 },
  budget: 50,
  oldestOpenMs: 1_500,
  silentMs: 42_000,
};

const linesOf = (gauges: readonly BatchGauges[]): readonly string[] => prometheusText(familiesOf(gauges)).split('\n');

it('every row counts once: what was not chosen is none of those that the budget left out', () => {
  const rows = linesOf([GAUGES]).filter((line) => line.startsWith('voxbatch_rows{'));
  expect(rows).toContain('voxbatch_rows{batch="lines",standing="skipped"} 1');
  expect(rows).toContain('voxbatch_rows{batch="lines",standing="not_chosen"} 3');
  expect(rows.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(10);
});

it('shows credits, budget, state and age, with what each means', () => {
  const lines = linesOf([GAUGES]);
  expect(lines).toEqual(
    expect.arrayContaining([
      'voxbatch_credits{batch="lines",kind="charged"} 12.5',
      'voxbatch_budget_credits{batch="lines"} 50',
      'voxbatch_batch_state{batch="lines",state="paused",paused_by="OutOfCredits"} 1',
      'voxbatch_oldest_open_age_seconds{batch="lines"} 1.5',
      'voxbatch_api_unanswered_seconds{batch="lines"} 42',
      '# TYPE voxbatch_rows gauge',
    ]),
  );
  for (const help of lines.filter((line) => line.startsWith('# HELP '))) expect(help).toMatch(/max, not the sum\.$/);
  expect(lines.at(-1)).toBe('');
});

it('names nothing of a ledger without batches, and no budget of a batch without one', () => {
  expect(linesOf([])).toEqual(['']);
  expect(linesOf([{ ...GAUGES, budget: null }]).join('\n')).not.toContain('voxbatch_budget_credits');
});

it('escapes what would end a label', () => {
  const [line] = prometheusText([{ name: 'g', help: 'h', samples: [{ labels: { batch: 'a"b\\c\nd' }, value: 1 }] }])
    .split('\n')
    .slice(2);
  expect(line).toBe('g{batch="a\\"b\\\\c\\nd"} 1');
});
