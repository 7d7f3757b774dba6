import { expect } from '@jest/globals';
import Database from 'libsql';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Money } from '../../ledger/record-types.ts';

/** Compares what the ledger keeps of a batch with all its rows and charges, counted again. */
export async function expectKept(ledger: Ledger, batch: string): Promise<void> {
  const { money, sending, running, unbilled, standings, recent, reasons, left } = recount(ledger.place, batch);
  const { states, outcomes, total, notChosen } = await ledger.counts(batch);
  const common = await ledger.commonReasons(batch, 99);
  expect(Object.fromEntries(common.map((one) => [`${one.class} ${one.cause}`, one.open + one.ended]))).toEqual(reasons);
  expect(notChosen).toBe(left);
  const kept = Object.entries({ ...states, ...outcomes }).filter(([, n]) => n !== 0);
  expect(Object.fromEntries(kept)).toEqual(standings);
  expect(total).toBe(Object.values(standings).reduce((sum, n) => sum + n, 0));
  const { charged, reserved, uncertain, estimated, saved, damaged } = await ledger.money(batch);
  expect(saved).toBeCloseTo(money.saved, 6);
  expect(damaged).toBe(money.damaged);
  expect(charged).toBeCloseTo(money.charged, 6);
  expect(reserved).toBeCloseTo(money.reserved, 6);
  expect(uncertain).toBeCloseTo(money.uncertain, 6);
  expect(estimated).toBe(money.estimated);
  expect(readKept(ledger.place, batch)).toEqual({ sending, running, unbilled: expect.closeTo(unbilled, 6), recent });
}

interface Line {
  readonly name: string;
  readonly n: number;
}

interface Recount {
  readonly standings: Readonly<Record<string, number>>;
  readonly recent: Readonly<Record<string, number>>;
  /** Rows by class and cause of their failures, if these count as such. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Rows that were not chosen. */
  readonly left: number;
  readonly money: Money;
  readonly sending: number;
  readonly running: number;
  readonly unbilled: number;
}

function recount(file: string, batch: string): Recount {
  const raw = new Database(file);
  try {
    const all = (sql: string): Line[] => raw.prepare(sql).all([batch]) as Line[];
    const sum = (value: string, from: string): number =>
      all(`select '' as name, coalesce(sum(${value}), 0) as n from ${from}`)[0]?.n ?? 0;
    const pairs = (sql: string): Record<string, number> => Object.fromEntries(all(sql).map(({ name, n }) => [name, n]));
    const inDoubt = `charges where batch = ? and state in ('sending', 'unknown')`;
    const byQuote = `charges where batch = ? and state in ('accepted', 'done') and charged_from is not 'api'`;
    return {
      standings: pairs(
        `select coalesce(outcome, state) as name, count(*) as n from rows where batch = ? and part_of is null group by 1`,
      ),
      recent: pairs(
        `select rows.outcome as name, count(*) as n from rows join batches on batches.name = batch
         where batch = ? and part_of is null and outcome is not null and ended_at >= coalesce(reopened_at, 0) group by 1`,
      ),
      reasons: pairs(
        `select failure_class || ' ' || coalesce(failure_cause, '') as name, count(*) as n from rows
         where batch = ? and part_of is null and failure_class not in ('OverBudget', 'NotChosen', 'NotCached') group by 1`,
      ),
      left: sum('1', `rows where batch = ? and part_of is null and failure_class = 'NotChosen'`),
      money: {
        charged: sum('charged', 'charges where batch = ?'),
        reserved:
          sum('quoted', `charges where batch = ? and state = 'sending'`) +
          sum('promised', 'rows where batch = ? and outcome is null'),
        uncertain: sum('quoted', `charges where batch = ? and state = 'unknown'`),
        estimated: sum('1', inDoubt) + sum('1', byQuote) > 0,
        saved: sum('quoted', `charges where batch = ? and state = 'cached'`),
        damaged: sum('damaged', 'charges where batch = ?'),
      },
      sending: sum('1', `charges where batch = ? and state = 'sending'`),
      running: sum('1', `charges where batch = ? and state = 'accepted' and finished_at is null`),
      unbilled: sum(
        'quoted - coalesce(charged, 0)',
        `charges where batch = ? and state = 'accepted' and finished_at is null and file is null and charged_from = 'api' and quoted > coalesce(charged, 0)`,
      ),
    };
  } finally {
    raw.close();
  }
}

function readKept(file: string, batch: string): Pick<Recount, 'sending' | 'running' | 'unbilled' | 'recent'> {
  const raw = new Database(file);
  try {
    const [sums] = raw.prepare('select sending, running, unbilled from sums where batch = ?').all([batch]) as {
      sending: number;
      running: number;
      unbilled: number;
    }[];
    const counts = raw
      .prepare(
        'select standing, sum(recent) as recent from row_counts where batch = ? group by 1 having sum(recent) <> 0',
      )
      .all([batch]);
    const recent = (counts as { standing: string; recent: number }[]).map((one) => [one.standing, one.recent]);
    const byName = Object.fromEntries(recent) as Record<string, number>;
    return {
      sending: sums?.sending ?? -1,
      running: sums?.running ?? -1,
      unbilled: sums?.unbilled ?? -1,
      recent: byName,
    };
  } finally {
    raw.close();
  }
}
