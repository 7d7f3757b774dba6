import { describe, expect, it } from '@jest/globals';
import { parseFaultPlan } from '../../simulator/fault-plan.ts';
import { killsOf, kindOf, planEvents, type PlannedWorld } from './event-plan.ts';
import { drawFaults } from './fault-plan.ts';

const ONE_MACHINE: PlannedWorld = { batches: 2, ledger: 'sqlite', store: 'folder' };
const SERVERS: PlannedWorld = { batches: 2, ledger: 'postgres', store: 's3' };

describe('the plan of a seed', () => {
  it('is the same each time, and another for another seed', () => {
    expect(planEvents(5, 40, ONE_MACHINE)).toEqual(planEvents(5, 40, ONE_MACHINE));
    expect(planEvents(6, 40, ONE_MACHINE)).not.toEqual(planEvents(5, 40, ONE_MACHINE));
    expect(drawFaults(5, 100)).toEqual(drawFaults(5, 100));
  });

  it('kills as often as was asked, in order, before the end', () => {
    const events = planEvents(5, 200, ONE_MACHINE);
    const kills = events.reduce((sum, { deed }) => sum + killsOf(deed), 0);
    expect([200, 201]).toContain(kills);
    const after = events.map((event) => event.after);
    expect(after).toEqual(after.toSorted((a, b) => a - b));
    expect(Math.max(...after)).toBeLessThan(0.75);
  });

  it('comes to every kind of deed, link and window over a long run', () => {
    const kinds = new Set(planEvents(5, 400, ONE_MACHINE).map(({ deed }) => kindOf(deed)));
    for (const kind of [
      'kill-both',
      'kill-run',
      'kill-temporal',
      'down api',
      'timeout worker-temporal',
      'reset_peer media',
    ]) {
      expect(kinds).toContain(kind);
    }
    for (const moment of ['before-intent', 'after-intent', 'after-answer', 'after-verdict', 'before-rename']) {
      expect(kinds).toContain(`kill-worker ${moment}`);
      expect(kinds).toContain(`stop-worker ${moment}`);
    }
  });

  it('kills and cuts the database and the store where they are servers, and only there', () => {
    const kindsIn = (world: PlannedWorld): Set<string> =>
      new Set(planEvents(5, 400, world).map(({ deed }) => kindOf(deed)));
    const ofServers = [
      ...['kill-database', 'kill-store', 'cut-commits before', 'cut-commits after'],
      ...['timeout ledger', 'reset_peer ledger', 'down store'],
    ];
    const [some, none] = [kindsIn(SERVERS), kindsIn(ONE_MACHINE)];
    for (const kind of ofServers) {
      expect(some).toContain(kind);
      expect(none).not.toContain(kind);
    }
  });

  it('has only the deeds that are asked for', () => {
    const only = ['kill-database', 'cut-commits'];
    const deeds = planEvents(5, 50, { ...SERVERS, only }).map(({ deed }) => deed.do);
    expect([...new Set(deeds)].toSorted()).toEqual(only.toSorted());
    expect(deeds.filter((deed) => deed === 'kill-database')).toHaveLength(50);
    expect(() => planEvents(5, 50, { ...ONE_MACHINE, only })).toThrow(
      'Nothing kills here, of: kill-database, cut-commits.',
    );
  });

  it('gives the simulator lies that it takes', () => {
    expect(parseFaultPlan(drawFaults(5, 500).plan).rules.length).toBeGreaterThan(20);
  });
});
